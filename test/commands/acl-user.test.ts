import t from 'tap'
import { AclCatalog } from '../../src/commands/acl-catalog.js'
import { AclUser, joinSelectors } from '../../src/commands/acl-user.js'
import { commandTable } from '../../src/commands/all-commands.js'
import { requestOf } from '../../src/resp/request.js'

const table = commandTable()
const catalog = new AclCatalog(table)

function userOf(...rules: string[]): AclUser {
  const user = new AclUser('u', catalog, () => false)
  for (const rule of rules) user.apply(rule)
  return user
}

function denied(user: AclUser, ...words: string[]): string | undefined {
  const request = requestOf(words)
  const denial = user.check(table.lookup(request)!, request)
  return denial === undefined ? undefined : `${denial.reason} ${denial.at}`
}

t.test('a new user may do nothing, and one that may do all is not asked twice', async t => {
  t.equal(userOf().unrestricted, false)
  t.equal(denied(userOf(), 'PING'), '1 0')
  t.equal(denied(userOf(), 'AUTH', 'x'), undefined, 'to become another user is always allowed')
  const all = userOf('+@all', '~*', '&*')
  t.equal(all.unrestricted, true)
  for (const rule of ['-get', 'resetkeys', 'resetchannels', '-@fast', 'nocommands']) {
    const user = all.copy()
    user.apply(rule)
    t.equal(user.unrestricted, false, rule)
    t.equal(all.unrestricted, true, 'a copy is its own')
  }
  t.equal(userOf('(+@all ~* &*)').unrestricted, true, 'one selector is enough')
  t.equal(userOf('+@all', '(~* &*)').unrestricted, false, 'selectors do not add up')
})

t.test('passwords are kept as digests; only an enabled user accepts one', async t => {
  const user = userOf('>secret')
  t.equal(user.accepts('secret'), false)
  user.apply('on')
  t.equal(user.accepts('secret'), true)
  t.equal(user.accepts('Secret'), false)
  t.match(user.line(), /^user u on #[0-9a-f]{64} resetchannels -@all$/)
  user.apply('<secret')
  t.equal(user.accepts('secret'), false)
  user.apply('nopass')
  t.equal(user.accepts('whatever'), true)
  user.apply('>x')
  t.equal(user.accepts('whatever'), false, 'a password ends nopass')
})

t.test('keys: reading and writing are allowed apart', async t => {
  const user = userOf('+@all', '%R~r*', '%W~w*', '~b')
  t.equal(denied(user, 'GET', 'r1'), undefined)
  t.equal(denied(user, 'GET', 'w1'), '2 1')
  t.equal(denied(user, 'LPUSH', 'w1', 'x'), undefined)
  t.equal(denied(user, 'COPY', 'r1', 'w1'), undefined)
  t.equal(denied(user, 'COPY', 'w1', 'r1'), '2 1')
  t.equal(denied(user, 'MGET', 'b', 'r', 'x'), '2 3')
  t.equal(denied(user, 'EXISTS', 'w', 'r'), undefined, 'whether a key is there is told to who may do either')
  t.equal(denied(user, 'SET', 'w', 'get'), undefined, 'a value is no option')
  t.equal(denied(user, 'SET', 'w', 'v', 'get'), '2 1')
  t.equal(denied(user, 'SORT', 'r', 'STORE', 'r'), '2 3')
})

t.test('of several selectors the one that allows all of a command decides', async t => {
  const user = userOf('+get', '~a', '(+get +set ~b)')
  t.equal(denied(user, 'GET', 'a'), undefined)
  t.equal(denied(user, 'SET', 'b', 'x'), undefined)
  t.equal(denied(user, 'SET', 'a', 'x'), '2 1')
  t.equal(denied(user, 'PING'), '1 0')
})

t.test('the line of a user makes the same user again', async t => {
  const user = userOf(
    'on',
    '>p',
    '+@all',
    '-@string',
    '+get',
    '-config',
    '+config|get',
    '-debug',
    '+debug|object',
    '%R~r*',
    '~k',
    '&c',
    '(+@hash ~h &*)',
  )
  const [, name, ...words] = user.line().split(' ')
  const rules = joinSelectors(words)
  const again = userOf(...(rules as string[]))
  t.equal(name, 'u')
  t.equal(again.line(), user.line())
  for (const row of table.rows) {
    const request = requestOf([...row.name.split('|'), 'object', 'k'])
    t.equal(again.check(row, request)?.reason, user.check(row, request)?.reason, row.name)
  }
})

t.test('what a later rule overrules is not told any more', async t => {
  const commands = (...rules: string[]) => userOf(...rules).selectors[0].describe().commands
  t.equal(commands('+memory|doctor', '+memory'), '-@all +memory')
  t.equal(commands('+memory', '+@all'), '+@all')
  t.equal(commands('+@all', '-memory|doctor', '-memory'), '+@all -memory')
  t.equal(commands('+get', '-get'), '-@all -get')
  t.equal(commands('+@all', '-@geo'), '+@all -@geo', 'a category without commands here may have some elsewhere')
  t.equal(commands('+select|1', '+select|1', '-select'), '-@all -select')
})

t.test('words of a selector are joined', async t => {
  t.same(joinSelectors(['on', '(~a', '+get)', '(+set)']), ['on', '(~a +get)', '(+set)'])
  t.same(joinSelectors(['(~a', '+get']), { unmatched: '(~a' })
})
