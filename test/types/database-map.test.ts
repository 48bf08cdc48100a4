import t from 'tap'
import { InvariantError } from '../../src/base/assert.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { DatabaseMap } from '../../src/types/database-map.js'

function slots(map: DatabaseMap, databases: number): number[] {
  return Array.from({ length: databases }, (_, i) => map.slotOf(i))
}

function reloaded(rows: MemoryRows, databases: number): DatabaseMap {
  rows.flush()
  const map = new DatabaseMap(rows, databases)
  map.load(databases)
  return map
}

t.test('databases have slots of their own, in order; swaps and dead slots come back after a reload', async t => {
  const rows = new MemoryRows()
  const map = reloaded(rows, 4)
  t.same(slots(map, 4), [0, 1, 2, 3], 'nothing is stored yet')
  map.swap(0, 3)
  t.equal(map.renew(1), 4)
  t.equal(map.renew(1), 5)
  const again = reloaded(rows, 4)
  t.same(slots(again, 4), [3, 5, 2, 0])
  t.same([...again.deadSlots], [1, 4])
  again.buried(1)
  t.throws(() => again.buried(1), InvariantError)
  t.throws(() => again.buried(5), InvariantError, 'it is alive')
  const last = reloaded(rows, 4)
  t.same([...last.deadSlots], [4])
  t.equal(last.renew(0), 6, 'numbers are given out once')
})

t.test('more databases get new slots, fewer keep theirs', async t => {
  const rows = new MemoryRows()
  reloaded(rows, 2).swap(0, 1)
  t.same(slots(reloaded(rows, 4), 4), [1, 0, 2, 3])
  t.same(slots(reloaded(rows, 1), 1), [1])
})

t.test('a row that contradicts itself is refused', async t => {
  const rows = new MemoryRows()
  const map = new DatabaseMap(rows, 2)
  map.swap(0, 1)
  const good = map.encodeRow()
  const load = (bytes: Buffer) => {
    rows.read = () => bytes
    new DatabaseMap(rows, 2).load(2)
  }
  load(good)
  const refused = { name: 'CorruptionError', message: /"databases"/ }
  const otherVersion = Buffer.from(good)
  otherVersion[0] = 9
  const longer = Buffer.from(good)
  longer.writeUInt32BE(3, 1)
  for (const bad of [otherVersion, longer, good.subarray(0, 12), good.subarray(0, good.length - 1)]) {
    t.throws(() => load(bad), refused)
  }
})
