import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { PiecedString } from '../../../src/types/string/pieced-string.js'
import { PiecesRead } from '../../../src/types/string/pieces-read.js'
import { seeded } from '../../support/seeded.js'

const PIECE_BYTES = 64

async function readOf(read: PiecesRead): Promise<Buffer> {
  const parts: Buffer[] = []
  let more = true
  while (more) {
    await read.fetch()
    more = read.next(bytes => parts.push(Buffer.from(bytes)))
  }
  read.close()
  return Buffer.concat(parts)
}

t.test('a read gives the string as it was when it began, whatever becomes of it meanwhile', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 200; round++) {
    const rows = new MemoryRows()
    const model = random.bytes(random.between(100, 3000))
    const value = PiecedString.of(rows, model, PIECE_BYTES)
    rows.flushAndEvict()
    // Some pieces are in memory, some of these changed; all the others are not.
    for (let i = 0; i < 3; i++) {
      const at = random.below(model.length)
      if (random.chance(0.5)) value.byteAt(at)
      else {
        value.overwrite(at, Buffer.of(i))
        model[at] = i
      }
    }
    const from = random.below(model.length)
    const to = random.between(from + 1, model.length)
    const read = value.longRead(from, to)
    if (read === undefined) continue
    for (let i = 0; i < 5; i++) value.overwrite(random.below(model.length), random.bytes(100))
    if (random.chance(0.3)) value.drop()
    if (random.chance(0.3)) rows.flushAndEvict()
    t.ok((await readOf(read)).equals(model.subarray(from, to)), `bytes ${from} to ${to} of ${model.length}`)
    t.equal(read.pinnedBytes, 0)
  }
})

t.test('a string that is all in memory needs no such read', async t => {
  const rows = new MemoryRows()
  const value = PiecedString.of(rows, Buffer.alloc(1000), PIECE_BYTES)
  t.equal(value.longRead(0, 1000), undefined)
  rows.flushAndEvict()
  value.byteAt(130)
  t.equal(value.longRead(128, 192), undefined)
  const read = value.longRead(128, 193)
  t.equal(read?.pinnedBytes, PIECE_BYTES)
  read?.close()
  t.equal(read?.pinnedBytes, 0)
})

t.test('a piece that is missing ends the read', async t => {
  const rows = new MemoryRows()
  const view = { ...rows.view(), read: () => undefined }
  const read = new PiecesRead(view, { treeId: 3, pieceBytes: PIECE_BYTES, length: 100 }, 0, 100, [undefined, undefined])
  t.throws(() => read.next(() => undefined), CorruptionError)
})
