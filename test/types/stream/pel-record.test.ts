import t from 'tap'
import {
  consumerAt,
  deliveredMsAt,
  deliveriesAt,
  pelCodec,
  PEL_RECORD,
  putPelRecord,
} from '../../../src/types/stream/pel-record.js'
import { idOf } from '../../../src/base/stream-id.js'

t.test('a record comes back as it was written, counts of 64 bits included', async t => {
  const bytes = Buffer.alloc(PEL_RECORD.BYTES + 2, 0xaa)
  for (const [deliveredMs, deliveries, consumer] of [
    [0, 1, 0],
    [1_700_000_000_123, 2 ** 40, 7],
    [2 ** 53 - 1, 9223372036854775807n, 0xffffffff],
  ] as const) {
    putPelRecord(bytes, 1, deliveredMs, deliveries, consumer)
    t.same([deliveredMsAt(bytes, 1), deliveriesAt(bytes, 1), consumerAt(bytes, 1)], [deliveredMs, deliveries, consumer])
  }
  t.match([bytes[0], bytes.at(-1)], [0xaa, 0xaa], 'within its bytes')
})

t.test('the oldest delivery of a page is its summary', async t => {
  const page = pelCodec.empty()
  for (const [ms, deliveredMs] of [
    [1, 900],
    [2, 300],
    [3, 700],
  ]) {
    const index = page.insert(idOf(ms))
    putPelRecord(page.bytes, page.payloadAt(index), deliveredMs, 1, 1)
    page.written(index)
  }
  t.equal(page.summary, 300)
})
