import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { Inspection } from '../../../src/pages/inspection.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { idKey, numberedKey, Table } from '../../../src/store/row.js'
import { cut, PiecedString, piecedStringType } from '../../../src/types/string/pieced-string.js'
import { PIECE_BYTES_MAX } from '../../../src/types/string/string-head.js'
import { seeded } from '../../support/seeded.js'

const PIECE_BYTES = 64

t.test(
  'agrees with plain Buffers through changes, copies, checkpoints and evictions; what was handed out never changes',
  async t => {
    const random = seeded()
    t.comment(`SEED=${random.seed}`)
    // So small that pieces are taken back while they are being used.
    const rows = new MemoryRows(random.pick([2000, 1 << 20]))
    let model = random.bytes(100)
    let value = PiecedString.of(rows, model, PIECE_BYTES)
    const lent: { parts: Buffer[]; copy: Buffer }[] = []
    const lend = (from: number, to: number) => {
      const parts = value.lend(from, to)
      lent.push({ parts, copy: Buffer.concat(parts) })
      t.ok(lent.at(-1)!.copy.equals(model.subarray(from, to)))
    }
    const reach = (length: number) => (model = Buffer.concat([model, Buffer.alloc(Math.max(0, length - model.length))]))
    for (let step = 0; step < 4000; step++) {
      const piece = random.bytes(random.pick([0, 1, 5, 63, 64, 65, 200]))
      const offset = random.below(model.length + 150)
      switch (random.below(10)) {
        case 0:
          if (!random.chance(0.05)) break
          value.drop()
          model = random.bytes(random.between(1, 300))
          value = PiecedString.of(rows, model, PIECE_BYTES)
          break
        case 1:
        case 2:
          if (model.length > 4000) break
          model = Buffer.concat([model, piece])
          t.equal(value.append(piece), model.length)
          break
        case 3:
          if (piece.length === 0 || offset > 4000) break
          reach(offset + piece.length)
          piece.copy(model, offset)
          t.equal(value.overwrite(offset, piece), model.length)
          break
        case 4: {
          reach(offset + 1)
          const bit = random.below(2)
          const mask = 0x80 >>> (step % 8)
          t.equal(value.setBit(offset * 8 + (step % 8), bit), (model[offset] & mask) === 0 ? 0 : 1)
          model[offset] = bit === 1 ? model[offset] | mask : model[offset] & ~mask
          break
        }
        case 5:
          lend(random.below(model.length), model.length)
          break
        case 6:
          if (random.chance(0.5)) rows.flush()
          else rows.flushAndEvict()
          break
        case 7: {
          const twin = value.copy()
          const whole = Buffer.from(model)
          // Both go on with what they have in common.
          twin.append(Buffer.from('of the twin'))
          twin.setBit(3, 1)
          whole[0] |= 0x10
          t.ok(twin.bytes().equals(Buffer.concat([whole, Buffer.from('of the twin')])))
          if (random.chance(0.5)) twin.drop()
          break
        }
        case 8: {
          rows.flush()
          value = PiecedString.stored(rows, value.object.id)
          break
        }
        default: {
          const from = random.below(model.length)
          const to = random.between(from, model.length)
          t.ok(value.bytes(from, to).equals(model.subarray(from, to)))
          t.equal(value.byteAt(offset), model[offset] ?? 0)
        }
      }
      t.equal(value.length, model.length)
    }
    t.ok(value.bytes().equals(model))
    for (const { parts, copy } of lent) t.ok(Buffer.concat(parts).equals(copy), 'what was lent is as it was')
  },
)
