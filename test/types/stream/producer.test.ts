import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { ID_MAX, idOf } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { StoreObject, Table } from '../../../src/store/row.js'
import { Producer } from '../../../src/types/stream/producer.js'

const digest = (n: number) => String.fromCharCode(n).repeat(16)

t.test('a producer comes back from its row, and a damaged one is refused by name', async t => {
  const rows = new MemoryRows()
  const object = new StoreObject(7)
  const producer = new Producer(rows, object, 3, 'a name\r\n\xff')
  producer.add(digest(1), idOf(5), 100, 0, 10)
  producer.add(digest(255), ID_MAX, 200, 0, 10)
  t.equal(producer.table, Table.Parts)
  t.equal(producer.rowKey().toString('hex'), '00000000000770' + '00000003')
  const row = producer.encodeRow()
  const again = Producer.decode(rows, object, producer.rowKey(), row)
  t.same([...again.contents()], [...producer.contents()])
  t.same([again.name, again.number, again.size, again.lastMs], ['a name\r\n\xff', 3, 2, 200])
  t.ok(again.encodeRow().equals(row))
  for (let length = 0; length < row.length; length++) {
    t.throws(() => Producer.decode(rows, object, producer.rowKey(), row.subarray(0, length)), CorruptionError)
  }
  const other = Buffer.from(row)
  other[0] = 2
  t.throws(() => Producer.decode(rows, object, producer.rowKey(), other), /producer row .* version 2/)
})

t.test('the oldest go, by age or by number; a digest added anew is the youngest', async t => {
  const producer = new Producer(new MemoryRows(), new StoreObject(7), 1, 'p')
  for (let n = 1; n <= 4; n++) producer.add(digest(n), idOf(n), n * 10, 0, 3)
  t.same(
    [1, 2, 3, 4].map(n => producer.find(digest(n), 0) !== undefined),
    [false, true, true, true],
  )
  t.equal(producer.find(digest(2), 21), undefined, 'too old')
  t.equal(producer.countFrom(30), 2)
  producer.add(digest(2), idOf(9), 50, 35, 3)
  t.same(
    [...producer.contents()].map(({ id, addedMs }) => [id.seqLo + id.msLo, addedMs]),
    [
      [4, 40],
      [9, 50],
    ],
  )
})
