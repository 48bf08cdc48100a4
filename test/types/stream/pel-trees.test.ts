import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { idOf } from '../../../src/base/stream-id.js'
import type { StreamId } from '../../../src/base/stream-id.js'
import { OrderedPages } from '../../../src/pages/ordered-pages.js'
import type { RecordPage } from '../../../src/pages/record-page.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { StoreObject } from '../../../src/store/row.js'
import { ownedCodec } from '../../../src/types/stream/pel-record.js'
import { insertId, removeId, removeRunOf } from '../../../src/types/stream/pel-trees.js'

type Tree = OrderedPages<StreamId, RecordPage>

function treeOf(ids: readonly number[]): Tree {
  const rows = new MemoryRows()
  const tree = new OrderedPages(rows, new StoreObject(rows.newId()), ownedCodec, () => undefined)
  for (const n of ids) insertId(tree, idOf(n))
  return tree
}

function idsIn(tree: Tree): number[] {
  const ids: number[] = []
  for (let node = tree.first(); node !== undefined; node = tree.next(node)) {
    const page = tree.page(node)
    for (let i = 0; i < page.count; i++) ids.push(page.keyAt(i).msLo)
  }
  return ids
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

t.test('IDs go in and out in any order; one that is not there is damage', async t => {
  const tree = treeOf([5, 1, 3])
  removeId(tree, idOf(3))
  t.same(idsIn(tree), [1, 5])
  t.throws(() => removeId(tree, idOf(3)), CorruptionError)
})

t.test('what lies side by side in both goes in one step a page', async t => {
  const tree = treeOf(numbers(3_000))
  const owned = treeOf(numbers(3_000).filter(n => n <= 1_000 || n % 2 === 0))
  let steps = 0
  for (let node = owned.first(); node !== undefined; node = owned.next(node)) {
    const ids = owned.page(node)
    for (let i = 0; i < ids.count; steps++) i += removeRunOf(tree, ids, i)
  }
  t.same(
    idsIn(tree),
    numbers(3_000).filter(n => n > 1_000 && n % 2 === 1),
  )
  t.ok(steps >= 1_000 && steps < 1_000 + 12, `${steps} steps: one for each alone, and few for the thousand`)
  const other = treeOf([7])
  t.throws(() => removeRunOf(tree, other.page(other.first()!), 0), CorruptionError)
})
