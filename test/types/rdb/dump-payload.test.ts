import t from 'tap'
import { ReplyError } from '../../../src/base/errors.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { dumpOf, isIntact, valueOf } from '../../../src/types/rdb/dump-payload.js'
import { PayloadError } from '../../../src/types/rdb/payload-error.js'
import { StringValue } from '../../../src/types/string/string-value.js'
import { dumped, PACKING, payloadOf, READ, restored, rowCountOf } from './rdb-fixture.js'

t.test('the footer tells the version and the sum', async t => {
  const payload = dumped(StringValue.create(new MemoryRows(), 'bar'))
  t.equal(payload.toString('hex'), '00036261720a00e6be4960ee66fd17')
  t.ok(isIntact(payload))
  for (const version of [0, 1, 9, 11, 12, 13, 14]) t.ok(isIntact(payloadOf(Buffer.from('0003626172', 'hex'), version)))
  t.notOk(isIntact(payloadOf(Buffer.from('0003626172', 'hex'), 15)))
  t.notOk(isIntact(payloadOf(Buffer.from('0003626172', 'hex'), 256)))
  for (let length = 0; length < payload.length; length++) t.notOk(isIntact(payload.subarray(0, length)))
})

t.test('unknown types and bytes behind the value are refused, and leave nothing', async t => {
  for (const hex of ['', 'ff', '08', '06', '0100', '00036261', '000362617200']) {
    const rows = new MemoryRows()
    t.throws(() => restored(rows, payloadOf(Buffer.from(hex, 'hex'))), PayloadError, hex)
    t.equal(rowCountOf(rows), 0)
  }
})

t.test('a dump is no longer than asked for', async t => {
  const value = StringValue.create(new MemoryRows(), Buffer.alloc(5000, 'x'))
  t.equal(dumpOf(value, 5013).length, 5013)
  t.throws(() => dumpOf(value, 5012), ReplyError)
  const limits = { ...READ, stringBytesMax: 4999 }
  t.throws(() => valueOf(dumped(value), new MemoryRows(), limits, PACKING), PayloadError)
})
