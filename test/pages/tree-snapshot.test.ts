import t from 'tap'
import { itemCodec } from '../../src/pages/item-page.js'
import type { ItemPage } from '../../src/pages/item-page.js'
import { OrderedPages } from '../../src/pages/ordered-pages.js'
import type { TreeSnapshot } from '../../src/pages/tree-snapshot.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { StoreObject } from '../../src/store/row.js'
import { seeded } from '../support/seeded.js'

const CODEC = itemCodec()
type Tree = OrderedPages<Buffer, ItemPage>

const keyOf = (number: number) => Buffer.from(String(number).padStart(6, '0'))

function newTree(rows: MemoryRows): Tree {
  return new OrderedPages(rows, new StoreObject(rows.newId()), CODEC, () => undefined)
}

function put(tree: Tree, number: number, value: string): void {
  const key = keyOf(number)
  const node = tree.nodeForInsert(key)
  tree.page(node).set(key, Buffer.from(value))
  tree.changed(node)
}

function remove(tree: Tree, number: number): void {
  const found = tree.find(keyOf(number))
  if (found === undefined) return
  tree.willChange(found.node).removeRange(found.index, found.index + 1)
  tree.changed(found.node)
}

function take(snapshot: TreeSnapshot<Buffer, ItemPage>, backwards = false): string[] {
  const texts: string[] = []
  const span = snapshot.next()
  if (span === undefined) return texts
  for (let i = span.from; i < span.to; i++) texts.push(`${span.page.keyAt(i)}=${span.page.valueAt(i)}`)
  return backwards ? texts.reverse() : texts
}

async function rest(snapshot: TreeSnapshot<Buffer, ItemPage>, backwards: boolean): Promise<string[]> {
  const texts: string[] = []
  for (;;) {
    await snapshot.fetch()
    const some = take(snapshot, backwards)
    if (some.length === 0) return texts
    texts.push(...some)
  }
}

t.test(
  'a snapshot gives the items of its moment, in any range and direction, whatever happens to the tree',
  async t => {
    const rng = seeded()
    t.comment(`SEED=${rng.seed}`)
    for (let round = 0; round < 40; round++) {
      const rows = new MemoryRows(round % 2 === 0 ? 1 << 20 : 64 << 10)
      const tree = newTree(rows)
      const model = new Map<number, string>()
      const change = (times: number): void => {
        for (let i = 0; i < times; i++) {
          const number = rng.below(4000)
          if (rng.below(3) > 0) {
            const value = 'v'.repeat(rng.below(300)) + String(rng.below(1000))
            put(tree, number, value)
            model.set(number, value)
          } else {
            remove(tree, number)
            model.delete(number)
          }
        }
      }
      change(2500)
      if (rng.below(3) > 0) rows.flush()
      change(rng.below(300))
      if (rng.below(2) > 0) rows.flushAndEvict()
      change(rng.below(50))
      const items = [...model].sort(([a], [b]) => a - b).map(([number, value]) => `${keyOf(number)}=${value}`)
      const from = rng.below(items.length)
      const to = from + 1 + rng.below(items.length - from)
      const backwards = rng.below(2) === 0
      const expected = items.slice(from, to)
      if (backwards) expected.reverse()
      const snapshot = tree.snapshot(from, to, backwards)
      const other = tree.snapshot(0, items.length)
      const given: string[] = []
      for (let steps = rng.below(5); steps > 0; steps--) given.push(...take(snapshot, backwards))
      change(rng.below(2000))
      if (rng.below(2) > 0) rows.flushAndEvict()
      if (rng.below(3) === 0) tree.clear()
      if (rng.below(2) > 0) rows.flush()
      given.push(...(await rest(snapshot, backwards)))
      if (given.join() !== expected.join()) t.fail(`round ${round}: ${given.length} of ${expected.length} items`)
      if ((await rest(other, false)).join() !== items.join()) t.fail(`round ${round}: another snapshot of the moment`)
      snapshot.close()
      other.close()
      t.equal(snapshot.pinnedBytes + other.pinnedBytes, 0, 'nothing is held any more')
    }
  },
)

t.test('what is held is let go when it is closed before its end, and pages are not copied for nobody then', t => {
  const rows = new MemoryRows()
  const tree = newTree(rows)
  for (let i = 0; i < 3000; i++) put(tree, i, 'v'.repeat(100))
  const snapshot = tree.snapshot(0, tree.count)
  t.ok(snapshot.pinnedBytes > 0)
  take(snapshot)
  const node = tree.last()!
  t.ok(node.pin)
  snapshot.close()
  t.equal(snapshot.pinnedBytes, 0)
  t.equal(node.pin, undefined)
  t.equal(snapshot.next(), undefined)
  snapshot.close()
  t.end()
})

t.test('a snapshot admits nothing to the page cache', async t => {
  const rows = new MemoryRows()
  const tree = newTree(rows)
  for (let i = 0; i < 20_000; i++) put(tree, i, 'v'.repeat(100))
  rows.flushAndEvict()
  const before = rows.cache.bytesUsed
  const snapshot = tree.snapshot(0, tree.count)
  t.equal((await rest(snapshot, false)).length, 20_000)
  t.equal(rows.cache.bytesUsed, before)
  t.equal(snapshot.pinnedBytes, 0, 'nor is anything held that was clean')
})

t.test('pages that a filter does not want are passed over unread, whole blocks too', async t => {
  const rows = new MemoryRows()
  const tree = newTree(rows)
  for (let i = 0; i < 40_000; i++) put(tree, i, 'v'.repeat(100))
  rows.flushAndEvict()
  const wanted = [5, 20_000, 39_999].map(keyOf)
  const snapshot = tree.snapshot(0, tree.count, false, (first, next) =>
    wanted.some(key => key.compare(first) >= 0 && (next === undefined || key.compare(next) < 0)),
  )
  const texts = await rest(snapshot, false)
  for (const key of wanted) t.ok(texts.some(text => text.startsWith(key.toString())))
  t.ok(texts.length < 1000, `${texts.length} items of three pages`)
})
