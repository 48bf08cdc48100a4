import t from 'tap'
import { ClockCache } from '../../src/store/page-cache.js'
import type { Evictable } from '../../src/store/rows.js'

class Item implements Evictable {
  usedTick = 0
  cacheSlot = -1
  resident = true
  dirty = false
  asked = 0
  constructor(readonly cachedBytes: number) {}
  evict(): boolean {
    this.asked++
    if (this.dirty) return false
    this.resident = false
    return true
  }
}

t.test('the budget is kept once ticks pass', async t => {
  const cache = new ClockCache(1000)
  const items = Array.from({ length: 50 }, () => new Item(100))
  for (const item of items) {
    cache.admit(item)
    cache.advance()
  }
  t.equal(cache.bytesUsed, 1000)
  t.equal(items.filter(item => item.resident).length, 10)
  t.equal(cache.count, 10)
})

t.test('what is used in the present tick stays, even over budget', async t => {
  const cache = new ClockCache(100)
  const items = Array.from({ length: 10 }, () => new Item(100))
  for (const item of items) cache.admit(item)
  t.equal(items.filter(item => item.resident).length, 10)
  cache.advance()
  t.equal(items.filter(item => item.resident).length, 1)
})

t.test('one huge tick is bounded too', async t => {
  const cache = new ClockCache(6400)
  for (let i = 0; i < 10_000; i++) cache.admit(new Item(100))
  t.ok(cache.bytesUsed <= 6400 + 64 * 100, `${cache.bytesUsed}`)
})

t.test('a dirty item stays; a used one gets a second chance', async t => {
  const cache = new ClockCache(300)
  const [dirty, used, idle] = [new Item(100), new Item(100), new Item(100)]
  dirty.dirty = true
  for (const item of [dirty, used, idle]) cache.admit(item)
  for (let i = 0; i < 20; i++) {
    cache.advance()
    used.usedTick = cache.tick
    cache.admit(new Item(100))
  }
  t.ok(dirty.resident)
  t.ok(used.resident)
  t.notOk(idle.resident)
})

t.test('when all is dirty, ticks cost next to nothing, until something becomes clean', async t => {
  const cache = new ClockCache(100)
  const items = Array.from({ length: 100 }, () => new Item(100))
  for (const item of items) {
    item.dirty = true
    cache.admit(item)
  }
  for (let tick = 0; tick < 10_000; tick++) cache.advance()
  t.equal(cache.bytesUsed, 100 * 100)
  const asked = items.reduce((sum, item) => sum + item.asked, 0)
  t.ok(asked < 10_000 * 6, `${asked} steps in 10,000 ticks`)
  for (const item of items) item.dirty = false
  cache.cleaned()
  for (let tick = 0; tick < 3; tick++) cache.advance()
  t.equal(cache.bytesUsed, 100)
})

t.test('forgetting and resizing keep the sum right; a smaller budget evicts', async t => {
  const cache = new ClockCache(1000)
  const items = Array.from({ length: 5 }, () => new Item(100))
  for (const item of items) cache.admit(item)
  cache.forget(items[0])
  cache.forget(items[0])
  t.equal(cache.bytesUsed, 400)
  cache.resized(items[0], 50)
  t.equal(cache.bytesUsed, 400, 'unknown items do not count')
  cache.advance()
  cache.bytesMax = 150
  t.equal(cache.bytesUsed, 100)
  t.equal(cache.evictAll(), 1)
  t.equal(cache.bytesUsed, 0)
})
