import t from 'tap'
import { FakeServer, fakeSession, sameAsRedis } from '../support/fake-server.js'

t.test('mistakes are answered as by redis-server', t =>
  sameAsRedis(t, [
    ['CLIENT', 'SETNAME', 'a b'],
    'CLIENT GETNAME',
    'CLIENT SETNAME ab',
    'CLIENT GETNAME',
    'CLIENT foo',
    'CLIENT KILL',
    'CLIENT KILL 1.1.1.1:1',
    'CLIENT KILL id',
    'CLIENT KILL ID 999',
    'CLIENT KILL ID abc',
    'CLIENT KILL ID 0',
    'CLIENT KILL ID 10 wrong',
    'CLIENT KILL foo bar',
    'CLIENT KILL TYPE foo',
    'CLIENT KILL USER nope',
    'CLIENT KILL SKIPME maybe',
    'CLIENT KILL ADDR 1 LADDR 2 SKIPME yes',
    'CLIENT LIST TYPE foo',
    'CLIENT LIST ID abc',
    'CLIENT LIST ID',
    'CLIENT LIST foo',
    'CLIENT LIST TYPE',
    'CLIENT LIST TYPE replica',
    'CLIENT NO-EVICT maybe',
    'CLIENT NO-EVICT on',
    'CLIENT REPLY maybe',
    'CLIENT REPLY ON',
    'CLIENT PAUSE abc',
    'CLIENT PAUSE -1',
    'CLIENT PAUSE 1 foo',
    'CLIENT PAUSE 1 all extra',
    'CLIENT PAUSE 99999999999999999999',
    'CLIENT UNPAUSE',
    'CLIENT UNBLOCK abc',
    'CLIENT UNBLOCK 999',
    'CLIENT UNBLOCK 999 foo',
    'CLIENT GETREDIR',
    'CLIENT ID x',
    'CLIENT HELP x',
  ]),
)

t.test('CLIENT LIST and INFO print the fields of Redis', async t => {
  const server = new FakeServer()
  Object.assign(server.me, { lastCommand: 'client|list', name: 'me', libName: 'lib', libVersion: '1' })
  server.others.push(fakeSession(2, { subscriptions: 1, subscriber: true, blocked: true, address: '/tmp/x.sock:0' }))
  server.context.clock.advance(2500)
  const line =
    'id=1 addr=127.0.0.1:1001 laddr=127.0.0.1:6379 fd=7 name=me age=2 idle=2 flags=N db=0 sub=0 psub=0 ssub=0 ' +
    'multi=-1 qbuf=26 qbuf-free=0 argv-mem=26 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 tot-mem=1000 events=r ' +
    'cmd=client|list user=default redir=-1 resp=2 lib-name=lib lib-ver=1\n'
  t.equal(server.ask('client', 'info'), `$${line.length}\r\n${line}\r\n`)
  const lines = server.ask('client', 'list').split('\n')
  t.match(lines[1], /^id=1 /)
  t.match(lines[2], /^id=2 addr=\/tmp\/x.sock:0 .* flags=PbU /)
  t.match(server.ask('CLIENT', 'LIST', 'TYPE', 'PUBSUB'), /^\$\d+\r\nid=2 [^\n]*\n\r\n$/)
  t.match(server.ask('CLIENT', 'LIST', 'ID', '2', '9', '1'), /\nid=2 [^\n]*\nid=1 [^\n]*\n\r\n$/)
  server.me.protocol = 3
  t.match(server.ask('CLIENT', 'INFO'), /^=\d+\r\ntxt:id=1 /)
})

t.test('CLIENT KILL closes whom the filters select', async t => {
  const server = new FakeServer()
  const [two, three] = [fakeSession(2), fakeSession(3, { subscriptions: 1, subscriber: true })]
  server.others.push(two, three)
  t.equal(server.ask('CLIENT', 'KILL', 'TYPE', 'pubsub'), ':1\r\n')
  t.same([server.me.log, two.log, three.log], [[], [], ['close now']])
  t.equal(server.ask('CLIENT', 'KILL', two.address), '+OK\r\n')
  t.same(two.log, ['close now'])
  t.equal(server.ask('CLIENT', 'KILL', 'SKIPME', 'no', 'ID', '1'), ':1\r\n')
  t.same(server.me.log, ['close after-reply'], 'its own reply still leaves')
  t.equal(server.ask('CLIENT', 'KILL', 'ID', '1'), ':0\r\n', 'spared by default')
})

t.test('what a client says about itself is kept', async t => {
  const server = new FakeServer()
  t.equal(server.ask('CLIENT', 'SETINFO', 'LIB-NAME', 'x'), '+OK\r\n')
  t.equal(server.ask('CLIENT', 'SETINFO', 'lib-ver', '2'), '+OK\r\n')
  t.same([server.me.libName, server.me.libVersion], ['x', '2'])
  t.equal(server.ask('CLIENT', 'SETINFO', 'nope', '2'), "-ERR Unrecognized option 'nope'\r\n")
  t.match(server.ask('CLIENT', 'SETINFO', 'lib-name', 'a b'), /^-ERR lib-name cannot contain spaces/)
  t.equal(server.ask('CLIENT', 'NO-TOUCH', 'on'), '+OK\r\n')
  t.equal(server.me.noTouch, true)
})

t.test('CLIENT REPLY OFF and SKIP are not answered', async t => {
  const server = new FakeServer()
  t.equal(server.ask('CLIENT', 'REPLY', 'SKIP'), '')
  t.equal(server.me.replyMode, 'skip-next')
  t.equal(server.ask('CLIENT', 'REPLY', 'OFF'), '')
  t.equal(server.ask('CLIENT', 'REPLY', 'SKIP'), '')
  t.equal(server.me.replyMode, 'off', 'SKIP does not switch OFF back on')
  t.equal(server.ask('CLIENT', 'REPLY', 'ON'), '+OK\r\n')
})

t.test('PAUSE and UNBLOCK reach the server', async t => {
  const server = new FakeServer()
  server.others.push(fakeSession(2))
  server.ask('CLIENT', 'PAUSE', '100', 'WRITE')
  server.ask('CLIENT', 'PAUSE', '5')
  t.same(server.log, ['pause 1700000000100 write', 'pause 1700000000005 all'])
  t.equal(server.ask('CLIENT', 'UNBLOCK', '2', 'ERROR'), ':1\r\n')
  t.same(server.others[0].log, ['unblock error'])
})
