import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Config } from '../../src/base/config.js'
import { UsageError } from '../../src/base/errors.js'
import { AclUsers } from '../../src/commands/acl-users.js'
import { commandTable } from '../../src/commands/all-commands.js'
import { tempDir } from '../support/temp-dir.js'

const table = commandTable()

function usersOf(...argv: string[]): AclUsers {
  const users = new AclUsers(table, Config.fromCommandLine(argv))
  users.loadAtStart()
  return users
}

const lines = (users: AclUsers) => users.all.map(user => user.line())

t.test('the default user is open to all until it has a password', async t => {
  const config = new Config()
  const users = new AclUsers(table, config)
  t.same(lines(users), ['user default on nopass ~* &* +@all'])
  t.equal(users.passwordRequired, false)
  let told = 0
  users.onDefaultChange = () => told++
  config.set([['requirepass', 'secret']])
  t.equal(users.passwordRequired, true)
  t.equal(users.default.accepts('secret'), true)
  config.set([['requirepass', '']])
  t.equal(users.passwordRequired, false)
  t.equal(told, 2)
  const off = users.default.copy()
  off.apply('off')
  users.put(off)
  t.equal(users.passwordRequired, true)
  t.equal(told, 3)
})

t.test('user lines of the configuration', async t => {
  const users = usersOf('--user', 'a', 'on', 'nopass', '(~k', '+get)', '--user', 'default', 'on', '+@all')
  t.same(lines(users), [
    'user a on nopass resetchannels -@all (~k resetchannels -@all +get)',
    'user default on sanitize-payload resetchannels +@all',
  ])
  const refused = (...argv: string[]) => t.throws(() => usersOf(...argv), UsageError, argv.join(' '))
  refused('--user', 'a', '--user', 'a')
  refused('--user', 'a', 'nonsense')
  refused('--user', 'a', '(+get')
  refused('--user', 'a', '--aclfile', 'users.acl')
  refused('--aclfile', '/none/users.acl')
})

t.test('a rewritten configuration holds the users', async t => {
  const path = join(tempDir(t), 'millrace.conf')
  writeFileSync(path, '# users\nuser a on nopass ~"x\\"y" +@all\nport 7000\n')
  const config = Config.fromCommandLine([path])
  const users = new AclUsers(table, config)
  users.loadAtStart()
  config.rewrite()
  t.match(readFileSync(path, 'latin1'), /^# users\nuser a .*\nport 7000\n/)
  // Rules given to the default user begin with a reset, which names the flag.
  const plain = (line: string) => line.replace('sanitize-payload ', '')
  t.same(lines(usersOf(path)).map(plain), lines(users).map(plain))
})

t.test('an aclfile is loaded as a whole or not at all, and written back', async t => {
  const path = join(tempDir(t), 'users.acl')
  writeFileSync(path, 'user a on nopass ~* +@all\n\n  user b on (+get ~k) \n')
  const users = usersOf('--aclfile', path)
  const a = users.get('a')!
  t.same(
    users.all.map(user => user.name),
    ['a', 'b', 'default'],
  )
  users.save()
  t.same(readFileSync(path, 'latin1').trimEnd().split('\n'), lines(users))

  const before = lines(users)
  const faulty = (text: string, message: RegExp) => {
    writeFileSync(path, text)
    t.throws(() => users.load(), { message })
    t.same(lines(users), before)
  }
  faulty('user a\nuser a\n', /^WARNING: .*users\.acl:2: Duplicate user 'a' found\. WARNING: ACL errors detected/)
  faulty('usr a\n', /:1 should start with user keyword followed by the username\./)
  faulty(
    'user a +none foo bar\n',
    /:1: Error in applying operation '\+none': Unknown command or .*:1: Syntax error\. WARN/,
  )
  faulty('user a (+get\n', /:1: Unmatched parenthesis in selector definition\./)

  writeFileSync(path, 'user b on nopass\n')
  const { default: byDefault } = users
  t.same(
    users.load().map(user => user.name),
    ['a', 'b'],
  )
  t.equal(users.get('a'), undefined)
  t.not(users.get('b'), a)
  t.equal(users.default, byDefault, 'clients hold on to the default user')
})
