import { InvariantError } from '../../src/base/assert.js'
import t from 'tap'
import { RECORD, twinWriteRecords } from '../../src/native/journal-write.js'
import { readRecord, RecordBuffer, recordBytesAt, sequenceAt } from '../../src/store/journal-record.js'

/** The whole records of a buffer with their checksums, as a write would leave them. */
function sealed(records: RecordBuffer): Buffer {
  // Descriptor -1 cannot be written to; the checksums are filled in before that shows.
  t.ok(twinWriteRecords(-1, records.bytes, records.used, 0) < 0)
  return Buffer.from(records.bytes.subarray(0, records.used))
}

function effectsAt(bytes: Buffer, at: number): string[] {
  const record = readRecord(bytes, at, recordBytesAt(bytes, at))
  return record!.effects.map(effect => `${effect.database} ${effect.bytes.toString('latin1')}`)
}

t.test('an effect is kept as the RESP array that a client would have sent', async t => {
  const records = new RecordBuffer()
  records.begin(2 ** 33 + 1, 1_700_000_000_000)
  records.addArguments(15, ['SET', Buffer.from([0xff, 0]), -7, 2n ** 64n, '\xe9'])
  const sent = Buffer.from('PING*1\r\n$4\r\nTIME\r\nPING')
  records.add(0, sent, 4, sent.length - 4)
  t.equal(records.end(), true)
  const bytes = sealed(records)
  t.match(readRecord(bytes, 0, bytes.length), { sequence: 2 ** 33 + 1, nowMs: 1_700_000_000_000 })
  t.same(effectsAt(bytes, 0), [
    '15 *5\r\n$3\r\nSET\r\n$2\r\n\xff\0\r\n$2\r\n-7\r\n$20\r\n18446744073709551616\r\n$1\r\n\xe9\r\n',
    '0 *1\r\n$4\r\nTIME\r\n',
  ])
})

t.test('a splice puts a piece in place of the bytes that were cut out', async t => {
  const records = new RecordBuffer()
  const value = 'v'.repeat(100)
  const sent = Buffer.from(`..*4\r\n$4\r\nXADD\r\n$1\r\ns\r\n$1\r\n*\r\n$100\r\n${value}\r\n..`)
  const cut = sent.indexOf('$1\r\n*')
  const piece = Buffer.from('$5\r\n123-0\r\nnot this')
  records.begin(1, 0)
  records.addSpliced(1, sent, 2, sent.length - 2, cut, cut + 7, piece, 11)
  records.end()
  t.same(effectsAt(sealed(records), 0), [`1 *4\r\n$4\r\nXADD\r\n$1\r\ns\r\n$5\r\n123-0\r\n$100\r\n${value}\r\n`])
})

t.test('records of any size follow one another; huge ones give their memory back', async t => {
  const records = new RecordBuffer()
  const room = records.bytes.length
  const sizes = [1, 3 * room, 10, 17 * room]
  for (const [i, size] of sizes.entries()) {
    records.begin(i + 1, i)
    records.addArguments(0, ['SET', 'k', Buffer.alloc(size, i)])
    records.end()
  }
  const bytes = sealed(records)
  let at = 0
  for (const [i, size] of sizes.entries()) {
    t.equal(sequenceAt(bytes, at), i + 1)
    const length = recordBytesAt(bytes, at)
    t.ok(length > size, `record ${i + 1} is whole`)
    at += length
  }
  t.equal(at, bytes.length)
  records.clear()
  t.match(records, { used: 0 })
  t.equal(records.bytes.length, room)
})

t.test('an open record is in nobody else’s way: abandoned, or without effects, it leaves nothing', async t => {
  const records = new RecordBuffer()
  records.begin(1, 0)
  records.addArguments(0, ['A'])
  t.equal(records.open, true)
  t.throws(() => records.begin(2, 0), InvariantError)
  t.throws(() => records.clear(), InvariantError)
  records.abandon()
  t.equal(records.open, false)
  records.begin(1, 0)
  t.equal(records.end(), false)
  t.equal(records.used, 0)
  t.throws(() => records.end(), InvariantError)
  t.throws(() => records.addArguments(0, ['B']), InvariantError)
})

t.test('the tail moves behind the records of another buffer', async t => {
  const [from, to] = [new RecordBuffer(), new RecordBuffer()]
  const add = (records: RecordBuffer, sequence: number) => {
    records.begin(sequence, 0)
    records.addArguments(0, [`record ${sequence}`])
    records.end()
  }
  add(to, 1)
  add(from, 0)
  const keep = from.used
  add(from, 2)
  add(from, 3)
  from.moveTail(keep, to)
  t.equal(from.used, keep)
  const bytes = sealed(to)
  const sequences: number[] = []
  for (let at = 0; at < bytes.length; at += recordBytesAt(bytes, at)) sequences.push(sequenceAt(bytes, at))
  t.same(sequences, [1, 2, 3])
})

t.test('effects that do not fill their record exactly are no record', async t => {
  const records = new RecordBuffer()
  records.begin(1, 0)
  records.addArguments(0, ['A'])
  records.addArguments(0, ['B'])
  records.end()
  const read = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(records.bytes.subarray(0, records.used))
    change(bytes)
    return readRecord(bytes, 0, bytes.length)
  }
  t.type(
    read(() => undefined),
    'object',
  )
  for (const count of [1, 3])
    t.equal(
      read(bytes => bytes.writeUInt32LE(count, RECORD.EFFECTS)),
      undefined,
    )
  for (const length of [0, 10, 12, 1000]) {
    t.equal(
      read(bytes => bytes.writeUInt32LE(length, RECORD.BODY + 1)),
      undefined,
      `first effect of ${length} bytes`,
    )
  }
})
