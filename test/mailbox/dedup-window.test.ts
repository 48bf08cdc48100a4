// The window of deduplication.

import t from 'tap'
import { DedupWindow } from '../../src/mailbox/dedup-window.js'

t.test('an offset is old when it was there a window ago', async t => {
  const window = new DedupWindow(1000)
  t.equal(window.olderThan(0), undefined)
  window.note(10, 0)
  window.note(20, 500)
  t.equal(window.olderThan(999), undefined)
  t.equal(window.olderThan(1000), 10)
  t.equal(window.olderThan(1499), 10)
  t.equal(window.olderThan(1500), 20)
  t.equal(window.olderThan(9000), 20)
})

t.test('marks are few however often it is told', async t => {
  const window = new DedupWindow(256_000)
  for (let ms = 0; ms < 512_000; ms += 10) window.note(ms, ms)
  const old = window.olderThan(512_000)
  t.ok(old !== undefined && old <= 256_000 && old > 254_000, `${old}`)
})

t.test('a window of nothing forgets at once', async t => {
  const window = new DedupWindow(0)
  window.note(1, 5)
  window.note(2, 5)
  t.equal(window.olderThan(5), 2)
})
