import t from 'tap'
import { ListValue } from '../../src/types/list/list-value.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { ZsetValue } from '../../src/types/zset/zset-value.js'

t.test('a long read shows the items of its moment, a page at a time', t => {
  const rows = new MemoryRows()
  const list = ListValue.create(rows)
  for (let i = 0; i < 5000; i++) list.pushLast(Buffer.from(`element ${i}`))
  const read = list.longRead(10, 4990)!
  t.equal(read.fetch(), undefined, 'all is in memory')
  t.ok(read.pinnedBytes > 0)
  const seen: string[] = []
  t.ok(read.next(value => seen.push(value.toString())))
  const first = seen.length
  t.ok(first > 0 && first < 4980, `${first} in the first page`)
  list.removeRange(0, 4000)
  list.replace(5, Buffer.from('changed'))
  while (read.next(value => seen.push(value.toString()))) continue
  t.equal(seen.join(), Array.from({ length: 4980 }, (_, i) => `element ${i + 10}`).join())
  t.equal(read.pinnedBytes, 0)
  read.close()
  t.end()
})

t.test('small values have none: they are answered at once', t => {
  const rows = new MemoryRows()
  const list = ListValue.create(rows)
  list.pushLast(Buffer.from('one'))
  t.equal(list.longRead(0, 1), undefined)
  const zset = ZsetValue.create(rows)
  zset.set('m', 1, undefined, { entriesMax: 128, memberBytesMax: 64 })
  t.equal(zset.longRead(0, 1, false), undefined)
  t.end()
})
