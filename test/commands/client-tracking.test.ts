import t from 'tap'
import { FakeServer, fakeSession, sameAsRedis } from '../support/fake-server.js'

t.test('options and mistakes are answered as by redis-server', t =>
  sameAsRedis(t, [
    'CLIENT TRACKING',
    'CLIENT TRACKING maybe',
    'CLIENT TRACKING maybe REDIRECT 99999',
    'CLIENT TRACKING ON FOO',
    'CLIENT TRACKING ON REDIRECT',
    'CLIENT TRACKING ON REDIRECT abc',
    'CLIENT TRACKING ON REDIRECT 0',
    'CLIENT TRACKING ON REDIRECT -1',
    'CLIENT TRACKING ON REDIRECT 99999 FOO',
    'CLIENT TRACKING ON REDIRECT 99999 REDIRECT 99999',
    'CLIENT TRACKING ON PREFIX',
    'CLIENT TRACKING ON PREFIX a',
    'CLIENT TRACKING OFF PREFIX a',
    'CLIENT TRACKING ON BCAST OPTIN',
    'CLIENT TRACKING ON OPTIN OPTOUT',
    'CLIENT CACHING YES',
    'CLIENT CACHING',
    'CLIENT CACHING maybe',
    'CLIENT CACHING YES NO',
    'CLIENT GETREDIR',
    'CLIENT GETREDIR x',
    'CLIENT TRACKINGINFO',
    'CLIENT TRACKINGINFO x',
    'CLIENT TRACKING on noloop',
    'CLIENT TRACKINGINFO',
    'CLIENT TRACKING ON BCAST',
    'CLIENT CACHING YES',
    'CLIENT CACHING NO',
    'CLIENT CACHING maybe',
    'CLIENT GETREDIR',
    'CLIENT TRACKING ON OPTIN',
    'CLIENT TRACKINGINFO',
    'CLIENT TRACKING ON OPTOUT',
    'CLIENT CACHING NO',
    'CLIENT CACHING yes',
    'CLIENT TRACKINGINFO',
    'CLIENT TRACKING off',
    'CLIENT TRACKING OFF',
    'CLIENT TRACKING ON OPTOUT',
    'CLIENT CACHING YES',
    'CLIENT CACHING no',
    'CLIENT TRACKINGINFO',
    'CLIENT TRACKING OFF',
    'CLIENT TRACKING ON BCAST PREFIX FOOBAR PREFIX FOO',
    'CLIENT TRACKING ON BCAST PREFIX FOO PREFIX FOOBAR',
    'CLIENT TRACKING ON BCAST PREFIX foo PREFIX bar',
    'CLIENT TRACKING ON BCAST PREFIX fo',
    'CLIENT TRACKING ON BCAST PREFIX barb',
    ['CLIENT', 'TRACKING', 'ON', 'BCAST', 'PREFIX', ''],
    'CLIENT TRACKING ON BCAST PREFIX z PREFIX a NOLOOP',
    'CLIENT TRACKINGINFO',
    'CLIENT TRACKING ON BCAST',
    'CLIENT TRACKINGINFO',
    'CLIENT TRACKING ON',
    'CLIENT TRACKING OFF',
    'CLIENT TRACKINGINFO',
  ]),
)

// redis-server looks at the second prefix' collision only after it has begun to track, and answers twice.
t.test('of three prefixes the last two collide', async t => {
  const server = new FakeServer()
  t.equal(
    server.ask('CLIENT', 'TRACKING', 'ON', 'BCAST', 'PREFIX', 'x', 'PREFIX', 'ab', 'PREFIX', 'a'),
    "-ERR Prefix 'ab' overlaps with another provided prefix 'a'. Prefixes for a single client must not overlap.\r\n",
  )
  t.equal(server.ask('CLIENT', 'GETREDIR'), ':-1\r\n')
})

t.test('CLIENT LIST and INFO tell who tracks, and where it is told', async t => {
  const server = new FakeServer()
  server.others.push(fakeSession(2))
  const info = () => server.ask('INFO', 'all').match(/^tracking_.*(?=\r)/gm)
  const counts = (clients: number, prefixes: number) => [
    `tracking_clients:${clients}`,
    'tracking_total_keys:0',
    'tracking_total_items:0',
    `tracking_total_prefixes:${prefixes}`,
  ]
  t.same(info(), counts(0, 0))
  t.match(server.ask('CLIENT', 'INFO'), / flags=N .* redir=-1 /)
  server.ask('CLIENT', 'TRACKING', 'ON')
  t.match(server.ask('CLIENT', 'INFO'), / flags=t .* redir=0 /)
  server.ask('CLIENT', 'TRACKING', 'ON', 'REDIRECT', 2)
  t.match(server.ask('CLIENT', 'INFO'), / flags=t .* redir=2 /)
  t.equal(server.ask('CLIENT', 'GETREDIR'), ':2\r\n')
  server.ask('CLIENT', 'TRACKING', 'OFF')
  server.ask('CLIENT', 'TRACKING', 'ON', 'BCAST', 'PREFIX', 'a', 'PREFIX', 'b')
  t.match(server.ask('CLIENT', 'INFO'), / flags=tB .* redir=0 /)
  t.same(info(), counts(1, 2))
  server.ask('CLIENT', 'TRACKING', 'OFF')
  t.same(info(), counts(0, 0))
})
