import t from 'tap'
import { DirtyRows } from '../../src/store/dirty-rows.js'
import type { Cut } from '../../src/store/dirty-rows.js'
import { idKey, StoreObject, Table } from '../../src/store/row.js'
import type { Row } from '../../src/store/row.js'
import { NumberRow, numberIn } from './store-fixture.js'

function row(value: number, owner?: StoreObject): NumberRow {
  return new NumberRow(Table.Heads, idKey(value), owner, value)
}

/** Encodes all that is left of a cut: the values written, '-' for a deletion. */
function encodeAll(cut: Cut): (number | string | undefined)[] {
  const written: (number | string | undefined)[] = []
  while (!cut.allEncoded)
    cut.encodeNext((_, value) => written.push(value === undefined ? '-' : numberIn(value as Buffer)))
  return written
}

t.test('a row is listed once in an epoch, and counts with its bytes', async t => {
  const dirty = new DirtyRows()
  const one = row(1)
  dirty.touch(one)
  dirty.touch(one)
  dirty.touch(row(2))
  t.equal(dirty.count, 2)
  t.equal(dirty.bytes, 8)
  const cut = dirty.cut()
  t.equal(cut.bytes, 8)
  t.match([...cut.rows], [{ value: 1 }, { value: 2 }])
  t.match(dirty, { count: 0, bytes: 0, epoch: 2 }, 'the epoch is a new one')
})

t.test('a row touched while the cut is encoded is written as it was at the cut, at its place', async t => {
  const dirty = new DirtyRows()
  const [one, two, gone] = [row(1), row(2), row(3)]
  for (const each of [one, two, gone]) dirty.touch(each)
  gone.removed = true
  const cut = dirty.cut()
  dirty.touch(two)
  two.value = 20
  dirty.touch(two)
  two.value = 200
  dirty.touch(gone)
  t.same(encodeAll(cut), [1, 2, '-'])
  t.same(encodeAll(dirty.cut()), [200, '-'], 'the next cut has the later state')
})

t.test('once all is encoded, touching a row of the cut encodes nothing', async t => {
  const dirty = new DirtyRows()
  let encodings = 0
  const counted = new (class extends NumberRow {
    override encodeRow(): Buffer {
      encodings++
      return super.encodeRow()
    }
  })(Table.Heads, idKey(1), undefined, 1)
  dirty.touch(counted)
  const cut = dirty.cut()
  t.same(encodeAll(cut), [1])
  dirty.encoded()
  dirty.touch(counted)
  t.equal(encodings, 1)
})

t.test('rows of an object dropped by the cut are passed over; of one dropped after it they are not', async t => {
  const dirty = new DirtyRows()
  const [before, after] = [new StoreObject(1), new StoreObject(2)]
  for (const each of [row(1, before), row(2, after)]) dirty.touch(each)
  before.droppedEpoch = dirty.epoch
  const cut = dirty.cut()
  after.droppedEpoch = dirty.epoch
  t.same(encodeAll(cut), [2])
})

t.test('after the commit rows become clean, in slices, but for those touched again', async t => {
  const dirty = new DirtyRows()
  const object = new StoreObject(1)
  const rows = [row(1), row(2), row(3), row(4, object)]
  for (const each of rows) dirty.touch(each)
  rows[2].removed = true
  const cut = dirty.cut()
  dirty.touch(rows[1])
  encodeAll(cut)
  object.droppedEpoch = dirty.epoch
  t.equal(cut.cleanSome(1), true, 'there are more')
  t.equal(cut.cleanSome(10), false)
  t.same(
    rows.map(each => each.dirtyEpoch),
    [0, 2, 0, 0],
  )
  t.same(
    rows.map(each => each.cleaned),
    [1, 0, 0, 0],
    'neither a removed row nor one of a dropped object is told',
  )
})

t.test('the rows of a cut that failed come back before those of this epoch, once', async t => {
  const dirty = new DirtyRows()
  const object = new StoreObject(9)
  const rows: Row[] = [row(1), row(2), row(3, object)]
  for (const each of rows) dirty.touch(each)
  object.droppedEpoch = dirty.epoch
  const cut = dirty.cut()
  dirty.touch(row(4))
  dirty.touch(rows[1])
  encodeAll(cut)
  dirty.giveBack(cut)
  t.ok(dirty.bytes >= 12)
  t.same(encodeAll(dirty.cut()), [1, 4, 2], 'what was touched again stands where it was touched')
})

t.test('a row that was added and withdrawn leaves nothing behind', async t => {
  const dirty = new DirtyRows()
  const [kept, gone, also] = [row(1), row(2), row(3)]
  for (const each of [kept, gone, also]) dirty.touchNew(each)
  t.ok(dirty.withdraw(gone))
  t.ok(dirty.withdraw(also))
  t.notOk(dirty.withdraw(also), 'twice')
  t.equal(dirty.bytes, 4)
  t.same(encodeAll(dirty.cut()), [1])
})

t.test('a row of which a cut or the store knows is not withdrawn', async t => {
  const dirty = new DirtyRows()
  const stored = row(1)
  dirty.touch(stored)
  t.notOk(dirty.withdraw(stored), 'read from the store, then changed')
  const waiting = row(2)
  dirty.touchNew(waiting)
  const cut = dirty.cut()
  t.notOk(dirty.withdraw(waiting), 'its cut is not encoded yet')
  dirty.touch(waiting)
  waiting.removed = true
  t.notOk(dirty.withdraw(waiting), 'its cut has captured it')
  t.same(encodeAll(cut), [1, 2])
  t.same(encodeAll(dirty.cut()), ['-'])
})

t.test('a row that was added long ago is not looked for', async t => {
  const dirty = new DirtyRows()
  const first = row(0)
  dirty.touchNew(first)
  for (let i = 1; i <= 20; i++) dirty.touchNew(row(i))
  t.notOk(dirty.withdraw(first))
  t.equal(dirty.count, 21)
})

t.test('a stored row that was removed stays removed when its successor comes and goes', async t => {
  const dirty = new DirtyRows()
  const stored = row(7)
  dirty.touch(stored)
  stored.removed = true
  const successor = row(7)
  dirty.touchNew(successor)
  t.ok(dirty.withdraw(successor))
  t.same(encodeAll(dirty.cut()), ['-'])
})

t.test('rows given back by a failed checkpoint are known to the store as far as anybody knows', async t => {
  const dirty = new DirtyRows()
  const [one, two] = [row(1), row(2)]
  dirty.touchNew(one)
  const cut = dirty.cut()
  dirty.touchNew(two)
  encodeAll(cut)
  dirty.giveBack(cut)
  t.notOk(dirty.withdraw(one))
  t.ok(dirty.withdraw(two))
  t.same(encodeAll(dirty.cut()), [1])
})
