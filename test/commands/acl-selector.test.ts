import t from 'tap'
import { AclCatalog } from '../../src/commands/acl-catalog.js'
import { aclFaults, AclSelector } from '../../src/commands/acl-selector.js'
import { commandTable } from '../../src/commands/all-commands.js'
import { requestOf } from '../../src/resp/request.js'

const table = commandTable()
const catalog = new AclCatalog(table)

function selectorOf(...rules: string[]): AclSelector {
  const selector = new AclSelector(catalog, false)
  for (const rule of rules) selector.apply(rule)
  return selector
}

const allows = (selector: AclSelector, ...words: string[]) => {
  const request = requestOf(words)
  return selector.allows(table.lookup(request)!, request)
}

t.test('commands, containers, subcommands and categories', async t => {
  const some = selectorOf('+@all', '-config', '+config|get', '-@string', '+INCR')
  t.equal(allows(some, 'config', 'get', 'x'), true)
  t.equal(allows(some, 'config', 'set', 'x', 'y'), false)
  t.equal(allows(some, 'set', 'k', 'v'), false)
  t.equal(allows(some, 'incr', 'k'), true)
  t.equal(allows(selectorOf('+config'), 'config', 'set', 'x', 'y'), true, 'a container stands for all of it')
})

t.test('a first argument of a command that is not allowed otherwise', async t => {
  const selector = selectorOf('+select|0', '+select|3')
  t.equal(allows(selector, 'SELECT', '3'), true)
  t.equal(allows(selector, 'SELECT', '1'), false)
  selector.apply('-select')
  t.equal(allows(selector, 'SELECT', '0'), false)
  t.equal(allows(selectorOf('+debug|Object'), 'debug', 'oBJECT', 'k'), true)
})

t.test('channels: names fit patterns, patterns must be the same', async t => {
  const selector = selectorOf('&a*', '&b')
  t.equal(selector.opensChannel('abc', false), true)
  t.equal(selector.opensChannel('abc', true), false)
  t.equal(selector.opensChannel('a*', true), true)
  t.equal(selector.opensChannel('c', false), false)
  t.equal(selectorOf('&*').opensChannel('c', true), true)
})

t.test('whether all keys may be read', async t => {
  t.equal(selectorOf('~*').readsEveryKey, true)
  t.equal(selectorOf('%R~*').readsEveryKey, true)
  t.equal(selectorOf('%W~*').readsEveryKey, false)
  t.equal(selectorOf('~a*').readsEveryKey, false)
})

t.test('rights to the same pattern join', async t => {
  const keys = (...rules: string[]) => selectorOf(...rules).describe().keys
  t.equal(keys('%R~a', '%W~a', '%wr~b', '%R~c'), '~a ~b %R~c')
  t.equal(keys('~a', 'allkeys'), '~*')
  t.equal(keys('allkeys', 'resetkeys', '~a'), '~a')
})

t.test('rules that cannot be applied', async t => {
  const refused = (message: string, ...rules: string[]) =>
    t.throws(() => selectorOf(...rules), { message }, rules.join(' '))
  refused(aclFaults.syntax, 'get')
  refused(aclFaults.syntax, '%~a')
  refused(aclFaults.syntax, '%RR~a')
  refused(aclFaults.syntax, '~a b')
  refused(aclFaults.syntax, '+debug|')
  refused(aclFaults.unknown, '+none')
  refused(aclFaults.unknown, '+none|x')
  refused(aclFaults.unknown, '+config|none')
  refused(aclFaults.unknown, '-debug|object')
  refused(aclFaults.unknown, '+@none')
  refused(aclFaults.subcommand, '+config|get|x')
  refused(aclFaults.allKeys, '~*', '~a')
  refused(aclFaults.allChannels, '&*', '&a')
})
