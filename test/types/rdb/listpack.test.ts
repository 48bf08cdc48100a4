import t from 'tap'
import { ListpackReader, ListpackWriter } from '../../../src/types/rdb/listpack.js'
import { PayloadError } from '../../../src/types/rdb/payload-error.js'
import { elementBytes, LISTPACK_EMPTY_BYTES } from '../../../src/types/stream/listpack-size.js'
import { seeded } from '../../support/seeded.js'
import { edgeValue } from '../stream/stream-fixture.js'

function packed(texts: readonly (Buffer | string)[]): Buffer {
  const writer = new ListpackWriter()
  for (const text of texts) {
    const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text, 'latin1')
    writer.bytes(bytes, 0, bytes.length)
  }
  return Buffer.from(writer.done())
}

function unpacked(bytes: Buffer): string[] {
  const reader = new ListpackReader(bytes)
  const texts: string[] = []
  while (!reader.atEnd) texts.push(reader.text())
  reader.end()
  return texts
}

t.test('texts come back, in the size that they are reckoned with', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 50; round++) {
    const texts = Array.from({ length: random.below(40) }, () => edgeValue(random))
    const bytes = packed(texts)
    t.same(
      unpacked(bytes),
      texts.map(text => (Buffer.isBuffer(text) ? text.latin1Slice() : text)),
    )
    let size = LISTPACK_EMPTY_BYTES
    for (const text of texts) size += elementBytes(Buffer.from(text as string, 'latin1'), 0, text.length)
    t.equal(bytes.length, size)
  }
})

t.test('bytes are laid out as documented', async t => {
  t.equal(packed([]).toString('hex'), '070000000000ff')
  t.equal(packed(['a', '5', '-1', '300']).toString('hex'), '12000000040081610205' + '01dfff02' + 'c12c02' + 'ff')
  t.equal(packed(['32767']).toString('hex'), '0b000000' + '0100' + 'f1ff7f03' + 'ff')
})

t.test('more elements than the header can count', async t => {
  const bytes = packed(Array.from({ length: 70_000 }, () => '1'))
  t.equal(bytes.readUInt16LE(4), 65535)
  t.equal(unpacked(bytes).length, 70_000)
})

t.test('numbers are asked for as such', async t => {
  const reader = new ListpackReader(packed(['7', '-3', 'x', '9223372036854775807', '8']))
  t.equal(reader.whole(10), 7)
  t.equal(reader.signed(), -3)
  t.throws(() => reader.signed(), PayloadError)
  t.equal(reader.signed(), 9223372036854775807n)
  t.throws(() => reader.whole(7), PayloadError)
  t.throws(() => reader.next(), PayloadError)
})

t.test('damage is refused or gives another text, never more', async t => {
  const bytes = packed(['word', '12', '-70000', 'a'.repeat(70), '123456789012345', 'b'.repeat(300)])
  let refused = 0
  for (let at = 0; at < bytes.length; at++) {
    for (const change of [1, 16, 64, 128, 255]) {
      const changed = Buffer.from(bytes)
      changed[at] ^= change
      try {
        unpacked(changed)
      } catch (error) {
        if (!(error instanceof PayloadError)) throw error
        refused++
      }
    }
  }
  for (let length = 0; length < bytes.length; length++) {
    t.throws(() => unpacked(bytes.subarray(0, length)), PayloadError)
  }
  t.ok(refused > 100)
})
