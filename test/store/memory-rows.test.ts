import t from 'tap'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { idKey, numberedKey, Row, StoreObject, Table } from '../../src/store/row.js'
import type { BorrowedRow } from '../../src/store/rows.js'

class NumberRow extends Row {
  cleaned = 0
  constructor(
    readonly table: Table,
    readonly key: Buffer,
    readonly owner: StoreObject | undefined,
    public value: number,
  ) {
    super()
  }
  rowKey(): Buffer {
    return this.key
  }
  encodeRow(): Buffer {
    return Buffer.of(this.value)
  }
  rowBytes(): number {
    return 1
  }
  override onClean(): void {
    this.cleaned++
  }
}

t.test('a touched row can be read after a flush, and is clean then', async t => {
  const rows = new MemoryRows()
  const row = new NumberRow(Table.Heads, idKey(rows.newId()), undefined, 7)
  rows.touch(row)
  rows.touch(row)
  t.equal(rows.dirtyCount, 1)
  t.throws(() => rows.read(Table.Heads, row.key), /dirty in memory/)
  rows.flush()
  t.same(rows.read(Table.Heads, row.key), Buffer.of(7))
  t.equal(row.cleaned, 1)
  t.equal(row.dirtyEpoch, 0)
})

t.test('a removed row is deleted by the flush', async t => {
  const rows = new MemoryRows()
  const row = new NumberRow(Table.Heads, idKey(1), undefined, 7)
  rows.touch(row)
  rows.flush()
  rows.touch(row)
  row.removed = true
  rows.flush()
  t.equal(rows.read(Table.Heads, row.key), undefined)
  t.equal(row.cleaned, 1, 'a removed row is not told that it is clean')
})

t.test('a dropped object takes its head, parts, blocks and pages with it and nothing else', async t => {
  const rows = new MemoryRows()
  const object = new StoreObject(rows.newId())
  const tree = rows.newId()
  const mine = [
    new NumberRow(Table.Heads, idKey(object.id), object, 1),
    new NumberRow(Table.Parts, Buffer.concat([idKey(object.id), Buffer.from('g')]), object, 2),
    new NumberRow(Table.Blocks, numberedKey(tree, 0), object, 3),
    new NumberRow(Table.Pages, numberedKey(tree, 9), object, 4),
  ]
  const other = new NumberRow(Table.Pages, numberedKey(rows.newId(), 9), undefined, 5)
  for (const row of [...mine, other]) rows.touch(row)
  rows.flush()
  rows.drop(object, [tree])
  rows.flush()
  for (const row of mine) t.equal(rows.read(row.table, row.key), undefined)
  t.same(rows.read(Table.Pages, other.key), Buffer.of(5))
})

t.test('a row changed without touch is found', async t => {
  const rows = new MemoryRows()
  const row = new NumberRow(Table.Heads, idKey(1), undefined, 7)
  rows.touch(row)
  rows.flush()
  rows.verifyClean([row])
  row.value = 8
  t.throws(() => rows.verifyClean([row]), /changed without touch/)
})

t.test('scan gives the rows under a prefix in key order', async t => {
  const rows = new MemoryRows()
  for (const number of [300, 2, 1])
    rows.touch(new NumberRow(Table.Pages, numberedKey(5, number), undefined, number & 255))
  rows.touch(new NumberRow(Table.Pages, numberedKey(6, 0), undefined, 0))
  rows.flush()
  t.same(
    [...rows.scan(Table.Pages, idKey(5))].map(row => row.key.readUInt32BE(6)),
    [1, 2, 300],
  )
  const kept: BorrowedRow[] = []
  for (const row of rows.scanBorrowed(Table.Pages, idKey(5))) {
    t.same(row.key.subarray(row.keyFrom, row.keyTo), numberedKey(5, [1, 2, 300][kept.length]))
    t.equal(row.value[row.valueTo - 1], [1, 2, 44][kept.length])
    kept.push(row)
  }
  t.equal(kept[0].value[0], 0xdd, 'a borrowed row that is kept is found out')
})
