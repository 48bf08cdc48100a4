import t from 'tap'
import { requestOf } from '../../src/resp/request.js'
import { FakeServer, sameAsRedis } from '../support/fake-server.js'

t.test('SLOWLOG answers as redis-server', t =>
  sameAsRedis(t, [
    'SLOWLOG',
    'SLOWLOG foo',
    'SLOWLOG RESET',
    'SLOWLOG GET',
    'SLOWLOG GET -2',
    'SLOWLOG GET abc',
    'SLOWLOG GET -1',
    'SLOWLOG LEN',
    'SLOWLOG RESET',
  ]),
)

t.test('entries are told newest first, as many as asked for', async t => {
  const server = new FakeServer()
  const client = { address: '1.2.3.4:5', name: 'me' }
  for (const key of ['a', 'b']) server.slowlog.add(requestOf(['GET', key]), 12, 1_700_000_000_000, client)
  const newest = '*6\r\n:1\r\n:1700000000\r\n:12\r\n*2\r\n$3\r\nGET\r\n$1\r\nb\r\n$9\r\n1.2.3.4:5\r\n$2\r\nme\r\n'
  t.equal(server.ask('SLOWLOG', 'GET', '1'), `*1\r\n${newest}`)
  t.match(server.ask('SLOWLOG', 'GET'), /^\*2\r\n/)
  t.equal(server.ask('SLOWLOG', 'LEN'), ':2\r\n')
  server.ask('SLOWLOG', 'RESET')
  t.equal(server.ask('SLOWLOG', 'GET', '-1'), '*0\r\n')
})
