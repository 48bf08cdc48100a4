import t from 'tap'
import { InvariantError } from '../../../src/base/assert.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { StoreObject, Table } from '../../../src/store/row.js'
import { ListTree } from '../../../src/types/list/list-tree.js'
import { seeded } from '../../support/seeded.js'
import { changeAtRandom, sameAs, visited } from './contents-model.js'

function newTree(rows: MemoryRows, root?: Buffer, owner = new StoreObject(rows.newId())): ListTree {
  return new ListTree(rows, owner, () => undefined, root)
}

function filled(rows: MemoryRows, count: number): ListTree {
  const tree = newTree(rows)
  for (let i = 0; i < count; i++) tree.insert(i, Buffer.from(`element ${i}`.padEnd(100)))
  return tree
}

t.test('it agrees with a plain array, across eviction and reload', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const rows = new MemoryRows()
  const owner = new StoreObject(rows.newId())
  let tree = newTree(rows, undefined, owner)
  const model: string[] = []
  for (let round = 0; round < 12; round++) {
    changeAtRandom(tree, model, rng, 300, round < 8)
    sameAs(t, tree, model, rng)
    rows.flushAndEvict()
    if (round % 3 === 2) tree = newTree(rows, tree.encode(), owner)
  }
})

t.test('pushing and popping just where a page is full does not make and remove one each time', async t => {
  const rows = new MemoryRows()
  const tree = filled(rows, 2000)
  const pages = () => {
    const owned: number[] = []
    tree.visit(0, tree.count, false, (_page, from, to) => (owned.push(to - from), false))
    return owned
  }
  // The last page goes, and the next push makes one again.
  for (const count of [pages().at(-1)!]) tree.removeRange(tree.count - count, tree.count)
  const before = tree.count
  tree.insert(tree.count, Buffer.alloc(100))
  t.ok(pages().at(-1)! > 1, 'the new page has a share of its neighbour')
  t.equal(tree.count, before + 1)
  const many = pages().length
  tree.removeRange(tree.count - 1, tree.count)
  t.equal(pages().length, many)
})

t.test('of many elements that go at once, no page in between is read', async t => {
  const rows = new MemoryRows()
  const tree = filled(rows, 2000)
  rows.flushAndEvict()
  let reads = 0
  const read = rows.read.bind(rows)
  rows.read = (table, key) => {
    if (table === Table.Pages) reads++
    return read(table, key)
  }
  tree.removeRange(5, 1995)
  t.ok(reads <= 3, `${reads} pages were read`)
  t.equal(tree.count, 10)
  t.same(
    visited(tree, 0, 10).map(text => text.trim()),
    [0, 1, 2, 3, 4, 1995, 1996, 1997, 1998, 1999].map(i => `element ${i}`),
  )
})

t.test('a visit ends when it has seen enough', async t => {
  const tree = filled(new MemoryRows(), 2000)
  let pieces = 0
  tree.visit(0, 2000, true, () => ++pieces === 2)
  t.equal(pieces, 2)
})

t.test('a copy has the same elements; what lies beyond the end is nobody’s', async t => {
  const rows = new MemoryRows()
  const tree = filled(rows, 500)
  const copy = newTree(rows)
  copy.fillFrom(tree)
  tree.removeRange(0, 500)
  t.equal(copy.count, 500)
  t.equal(copy.at(499).toString().trim(), 'element 499')
  t.throws(() => copy.at(500), InvariantError)
})
