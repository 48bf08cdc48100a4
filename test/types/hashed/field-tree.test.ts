import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { StoreObject } from '../../../src/store/row.js'
import { FieldTree } from '../../../src/types/hashed/field-tree.js'
import type { Fields } from '../../../src/types/hashed/fields.js'
import { seeded } from '../../support/seeded.js'

function filled(rows: MemoryRows, count: number): FieldTree {
  const tree = FieldTree.create(rows, new StoreObject(rows.newId()), () => undefined)
  for (let i = 0; i < count; i++) tree.set(`f${i}`, `v${i}`)
  return tree
}

function fieldsOf(fields: Fields): string[] {
  const names: string[] = []
  fields.some(field => {
    names.push(field)
    return false
  })
  return names
}

t.test('a tree comes back from its root with the same order', async t => {
  const rows = new MemoryRows()
  const tree = filled(rows, 3000)
  rows.flushAndEvict()
  const again = FieldTree.decode(rows, new StoreObject(1), () => undefined, tree.encode())
  t.equal(again.count, 3000)
  t.same(fieldsOf(again), fieldsOf(tree))
  t.equal(again.get('f77')?.toString(), 'v77')
  t.equal(again.at(5), fieldsOf(tree)[5])
})

t.test('ranks, order and scans agree', async t => {
  const tree = filled(new MemoryRows(), 2000)
  const order = fieldsOf(tree)
  t.same(
    order.map((_, rank) => tree.at(rank)),
    order,
  )
  for (const count of [1, 7, 500, 100_000]) {
    const seen: string[] = []
    let cursor = 0
    do cursor = tree.scan(cursor, count, field => void seen.push(field))
    while (cursor !== 0)
    t.same(seen, order, `COUNT ${count}`)
  }
})

t.test('setting the same value again makes nothing dirty', async t => {
  const rows = new MemoryRows()
  let touched = 0
  const tree = FieldTree.create(rows, new StoreObject(rows.newId()), () => void touched++)
  t.ok(tree.set('f', 'v'))
  rows.flush()
  touched = 0
  t.notOk(tree.set('f', 'v'))
  t.equal(rows.dirtyCount + touched, 0)
  t.notOk(tree.set('f', 'w'))
  t.ok(rows.dirtyCount > 0 && touched > 0)
  t.equal(tree.get('f')?.toString(), 'w')
})

t.test('a copy shares nothing with its source', async t => {
  const rows = new MemoryRows()
  const tree = filled(rows, 1000)
  const copy = FieldTree.copyOf(tree, rows, new StoreObject(rows.newId()), () => undefined)
  t.same(fieldsOf(copy), fieldsOf(tree))
  copy.set('f1', 'other')
  tree.delete('f2')
  t.equal(tree.get('f1')?.toString(), 'v1')
  t.equal(copy.get('f2')?.toString(), 'v2')
})

t.test('a root that is cut off is refused', async t => {
  const rows = new MemoryRows()
  const bytes = filled(rows, 10).encode()
  for (const length of [0, 7, 8, bytes.length - 1]) {
    t.throws(
      () => FieldTree.decode(rows, new StoreObject(1), () => undefined, bytes.subarray(0, length)),
      CorruptionError,
    )
  }
})

t.test('look-ups and changes in any order agree with a map, whatever was looked up before', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const rows = new MemoryRows()
  const tree = FieldTree.create(rows, new StoreObject(rows.newId()), () => undefined)
  const model = new Map<string, string>()
  for (let step = 0; step < 20_000; step++) {
    const field = `f${random.below(1500)}`
    const wish = random.below(5)
    if (wish === 0) t.equal(tree.delete(field), model.delete(field))
    else if (wish < 3) {
      const value = random.chance(0.5) ? 'v'.repeat(random.below(60)) : String(random.below(10))
      t.equal(tree.set(field, value), !model.has(field))
      model.set(field, value)
    } else t.equal(tree.get(field)?.toString(), model.get(field))
    // The same field again, which the tree remembers, and another one.
    t.equal(tree.get(field)?.toString(), model.get(field))
    if (step % 500 === 0) rows.flushAndEvict()
  }
  t.equal(tree.count, model.size)
  t.same(fieldsOf(tree).sort(), [...model.keys()].sort())
})

t.test('numbers change in place and are stored', async t => {
  const rows = new MemoryRows()
  const tree = FieldTree.create(rows, new StoreObject(rows.newId()), () => undefined)
  for (let i = 0; i < 2000; i++) tree.putNumber(`f${i}`, i)
  const bytes = tree.memoryBytes
  rows.flushAndEvict()
  for (let i = 0; i < 2000; i += 2) tree.putNumber(`f${i}`, -i / 3)
  t.ok(rows.dirtyCount > 0)
  rows.flushAndEvict()
  const again = FieldTree.decode(rows, new StoreObject(1), () => undefined, tree.encode())
  for (let i = 0; i < 2000; i++) t.equal(again.numberOf(`f${i}`), i % 2 === 0 ? -i / 3 : i)
  t.equal(again.numberOf('other'), undefined)
  t.equal(tree.memoryBytes, bytes)
})
