import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { aclCommand } from '../../src/commands/acl.js'
import { fakeSession, FakeServer } from '../support/fake-server.js'
import { tempDir } from '../support/temp-dir.js'

function setUp() {
  const server = new FakeServer([aclCommand])
  const ask = (line: string) => server.context.ask(...line.split(' '))
  return { server, users: server.context.server.users, ask }
}

t.test('ACL SETUSER applies all rules or none', async t => {
  const { users, ask } = setUp()
  t.equal(ask('ACL SETUSER u on +ping ~k'), '+OK\r\n')
  t.equal(ask('ACL SETUSER u off nonsense'), "-ERR Error in ACL SETUSER modifier 'nonsense': Syntax error\r\n")
  t.equal(users.get('u')!.line(), 'user u on ~k resetchannels -@all +ping')
  ask('ACL SETUSER v nonsense')
  t.equal(users.get('v'), undefined)
  t.equal(ask('ACL USERS'), '*2\r\n$7\r\ndefault\r\n$1\r\nu\r\n')
})

t.test('who loses a channel, or the user, is closed; who asked gets the reply first', async t => {
  const { server, users, ask } = setUp()
  ask('ACL SETUSER u &a &b')
  const account = users.get('u')!
  const subscribed = (name: string) => ({
    channel: new Set([name]),
    pattern: new Set<string>(),
    shard: new Set<string>(),
  })
  const a = fakeSession(2, { account, subscriber: true, subscribed: subscribed('a') })
  const b = fakeSession(3, { account, subscriber: true, subscribed: subscribed('b') })
  const other = fakeSession(4, { account: users.default, subscriber: true, subscribed: subscribed('b') })
  server.others.push(a, b, other)
  ask('ACL SETUSER u resetchannels &a')
  t.same([a.log, b.log, other.log], [[], ['close now'], []])
  Object.assign(server.me, { account })
  t.equal(ask('ACL DELUSER u none'), ':1\r\n')
  t.same([a.log, other.log, server.me.log], [['close now'], [], ['close after-reply']])
  t.equal(a.account, users.default)
  t.equal(a.authenticated, false)
})

t.test('ACL LOAD and SAVE need an aclfile, and close the clients of the users that were', async t => {
  const { server, users, ask } = setUp()
  t.match(ask('ACL LOAD'), /^-ERR This Redis instance is not configured to use an ACL file\./)
  t.match(ask('ACL SAVE'), /^-ERR This Redis instance is not configured to use an ACL file\./)
  const file = join(tempDir(t), 'users.acl')
  server.context.config.values.aclfile = file
  ask('ACL SETUSER u on')
  const session = fakeSession(2, { account: users.get('u')! })
  server.others.push(session)
  t.equal(ask('ACL SAVE'), '+OK\r\n')
  t.equal(ask('ACL LOAD'), '+OK\r\n')
  t.same(session.log, ['close now'])
  t.ok(users.get('u'))
  writeFileSync(file, 'nonsense\n')
  t.match(ask('ACL LOAD'), /^-ERR .*should start with user keyword/)
  t.ok(users.get('u'))
})

t.test('ACL GENPASS gives as many bits as wanted, in whole digits', async t => {
  const { ask } = setUp()
  t.match(ask('ACL GENPASS'), /^\$64\r\n[0-9a-f]{64}\r\n$/)
  t.match(ask('ACL GENPASS 5'), /^\$2\r\n[0-9a-f]{2}\r\n$/)
  t.not(ask('ACL GENPASS'), ask('ACL GENPASS'))
})

t.test('ACL SETUSER shows no password to MONITOR and SLOWLOG', async t => {
  const { server } = setUp()
  server.context.ask('ACL', 'SETUSER', 'u', '>secret')
  const row = server.context.table.row('acl|setuser')!
  t.same(row.spec.secrets!(server.context.request), [2, 3])
})
