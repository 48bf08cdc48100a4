import t from 'tap'
import { InvariantError } from '../../../src/base/assert.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { Table } from '../../../src/store/row.js'
import { dropFirstItems } from '../../../src/types/stream/tree-cut.js'
import { filledTree, numbersIn } from './tree-fixture.js'

const ITEMS = 1000

t.test('the first items go, wherever pages end', async t => {
  const pageItems = filledTree(new MemoryRows(), ITEMS).first()!.count
  for (const count of [0, 1, pageItems - 1, pageItems, pageItems + 1, 7 * pageItems, ITEMS - 1, ITEMS]) {
    const tree = filledTree(new MemoryRows(), ITEMS)
    dropFirstItems(tree, count)
    t.same(
      numbersIn(tree),
      Array.from({ length: ITEMS - count }, (_, i) => count + 1 + i),
      `${count} of ${ITEMS}`,
    )
    t.equal(tree.count, ITEMS - count)
  }
})

t.test('whole pages go unread: at most the one that is cut is loaded', async t => {
  const rows = new MemoryRows()
  const tree = filledTree(rows, ITEMS)
  rows.flush()
  rows.cache.evictAll()
  let reads = 0
  const read = rows.read.bind(rows)
  rows.read = (table, key) => {
    if (table === Table.Pages) reads++
    return read(table, key)
  }
  dropFirstItems(tree, ITEMS - 5)
  t.equal(reads, 1)
  t.equal(tree.count, 5)
})

t.test('more than there is cannot be dropped', async t => {
  t.throws(() => dropFirstItems(filledTree(new MemoryRows(), 10), 11), InvariantError)
})
