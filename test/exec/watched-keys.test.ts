import t from 'tap'
import { WatchedKeys } from '../../src/exec/watched-keys.js'
import type { WatchedKey } from '../../src/exec/watched-keys.js'

const watcher = () => ({ watchBroken: false, watchedKeys: [] as WatchedKey[] })

t.test('a change marks all who watch the key in that database, and nobody else', async t => {
  const watched = new WatchedKeys()
  const [a, b, other, elsewhere] = [watcher(), watcher(), watcher(), watcher()]
  watched.watch(a, 0, 'k', true)
  watched.watch(b, 0, 'k', true)
  watched.watch(other, 0, 'x', true)
  watched.watch(elsewhere, 1, 'k', true)
  watched.touch(0, 'k')
  t.same(
    [a, b, other, elsewhere].map(w => w.watchBroken),
    [true, true, false, false],
  )
})

t.test('unwatch forgets the keys and that they changed', async t => {
  const watched = new WatchedKeys()
  const [a, b] = [watcher(), watcher()]
  watched.watch(a, 0, 'k', false)
  watched.watch(a, 0, 'k', false)
  watched.watch(b, 0, 'k', false)
  t.equal(a.watchedKeys.length, 1, 'watching twice is watching once')
  watched.touch(0, 'k')
  watched.unwatch(a)
  t.notOk(a.watchBroken)
  t.equal(watched.size, 1)
  watched.touch(0, 'k')
  t.notOk(a.watchBroken)
  watched.unwatch(b)
  t.equal(watched.size, 0)
})

t.test('when a whole database goes, only keys that were or are there have changed', async t => {
  const watched = new WatchedKeys()
  const [was, is, never] = [watcher(), watcher(), watcher()]
  watched.watch(was, 0, 'was', true)
  watched.watch(is, 0, 'is', false)
  watched.watch(never, 0, 'never', false)
  watched.touchAll(0, key => key === 'is')
  t.same(
    [was, is, never].map(w => w.watchBroken),
    [true, true, false],
  )
})

t.test('a key that was absent or overdue when it was watched does not change by expiring', async t => {
  const watched = new WatchedKeys()
  const [seen, unseen] = [watcher(), watcher()]
  watched.watch(seen, 0, 'k', true)
  watched.watch(unseen, 0, 'k', false)
  watched.expire(0, 'k')
  watched.expire(0, 'unwatched')
  t.same([seen.watchBroken, unseen.watchBroken], [true, false])
})
