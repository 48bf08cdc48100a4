import t from 'tap'
import { idOf, putId, STREAM_ID_BYTES } from '../../../src/base/stream-id.js'
import type { StreamId } from '../../../src/base/stream-id.js'
import { OrderedPages } from '../../../src/pages/ordered-pages.js'
import { wireCodec } from '../../../src/pages/wire-page.js'
import type { WirePage } from '../../../src/pages/wire-page.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { StoreObject } from '../../../src/store/row.js'
import { EntryFinder } from '../../../src/types/stream/entry-finder.js'
import { seeded } from '../../support/seeded.js'

const FIELDS = Buffer.from('$1\r\nf\r\n$100\r\n' + 'v'.repeat(100) + '\r\n')

function treeOf(ids: readonly number[]): OrderedPages<StreamId, WirePage> {
  const rows = new MemoryRows()
  const tree = new OrderedPages(rows, new StoreObject(rows.newId()), wireCodec, () => undefined)
  for (const n of ids) {
    const last = tree.last()
    const node = last !== undefined && tree.page(last).fits(FIELDS.length) ? last : tree.appendNode(idOf(n))
    tree.willChange(node).append(idOf(n), 1, FIELDS, 0, FIELDS.length)
    tree.changed(node)
  }
  return tree
}

function encoded(id: StreamId): Buffer {
  const bytes = Buffer.alloc(3 + STREAM_ID_BYTES)
  putId(bytes, 3, id)
  return bytes
}

t.test('what is there is found in any order, with its entry, over all pages', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const there = Array.from({ length: 2_000 }, (_, i) => i).filter(() => random.chance(0.8))
  const set = new Set(there)
  const finder = new EntryFinder(treeOf(there))
  const asked = Array.from({ length: 2_000 }, (_, i) => i).concat(
    Array.from({ length: 500 }, () => random.below(2_100)),
  )
  for (const n of asked) {
    const found = finder.has(encoded(idOf(n)), 3)
    if (found !== set.has(n)) return t.fail(`${n}: ${found}`)
    if (found && finder.found().firstId.msLo !== n) return t.fail(`${n} was found as another`)
  }
  t.pass('all as in the set')
})

t.test('a walk in order searches the tree once a page, and once for each that is missing', async t => {
  const tree = treeOf(Array.from({ length: 1_000 }, (_, i) => i).filter(n => n % 100 !== 50))
  const find = tree.find.bind(tree)
  let searches = 0
  tree.find = id => (searches++, find(id))
  const finder = new EntryFinder(tree)
  let found = 0
  for (let n = 0; n < 1_000; n++) if (finder.has(encoded(idOf(n)), 3)) found++
  t.equal(found, 990)
  t.ok(tree.pageCount > 5)
  t.equal(searches, tree.pageCount + 10)
})
