import t from 'tap'
import { ServerStats } from '../../src/exec/stats.js'

t.test('a row has its counters from its first use on, and only then is listed', async t => {
  const stats = new ServerStats()
  t.equal(stats.commands.size, 0)
  const get = stats.of(7, 'get')
  get.calls = 3
  t.equal(stats.of(7, 'get'), get)
  t.not(stats.of(8, 'set'), get)
  t.same([...stats.commands.keys()], ['get', 'set'])
})

t.test('errors are counted by their code', async t => {
  const stats = new ServerStats()
  for (const text of ['ERR one', 'ERR two', 'NOAUTH Authentication required.', 'BARE']) stats.countError(text)
  t.same(Object.fromEntries(stats.errors), { ERR: 2, NOAUTH: 1, BARE: 1 })
  t.equal(stats.totalErrorReplies, 4)
})

t.test('codes that clients make up do not fill the memory', async t => {
  const stats = new ServerStats()
  for (let i = 0; i < 1000; i++) stats.countError(`E${i} made up`)
  t.equal(stats.errors.size, 128)
  t.equal(stats.totalErrorReplies, 1000)
  stats.countError('E0 known')
  t.equal(stats.errors.get('E0'), 2)
})

t.test('a reset clears all of it, the look-ups counted in the keyspace too', async t => {
  const stats = new ServerStats()
  const lookups = { hits: 3, misses: 4 }
  stats.countLookupsOf(lookups)
  t.match(stats, { keyspaceHits: 3, keyspaceMisses: 4 })
  stats.of(1, 'get').calls++
  stats.countError('ERR x')
  stats.expiredKeys = 5
  stats.reset()
  t.match(stats, { keyspaceHits: 0, keyspaceMisses: 0, expiredKeys: 0, totalErrorReplies: 0 })
  t.same(lookups, { hits: 0, misses: 0 })
  t.equal(stats.errors.size, 0)
  t.equal(stats.commands.size, 0)
  t.equal(stats.of(1, 'get').calls, 0, 'a row starts anew')
})
