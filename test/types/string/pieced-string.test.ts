import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { Inspection } from '../../../src/pages/inspection.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { idKey, numberedKey, Table } from '../../../src/store/row.js'
import { cut, PiecedString, piecedStringType } from '../../../src/types/string/pieced-string.js'
import { outputOfLimited } from '../../support/limited-process.js'
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

t.test('zeros that nobody wrote are in memory once, and are no others after a write', async t => {
  const rows = new MemoryRows()
  const [one, two] = [PiecedString.zeros(rows, 5 * PIECE_BYTES + 3, PIECE_BYTES), PiecedString.zeros(rows, 200, 64)]
  one.setBit(8 * 70, 1)
  two.overwrite(130, Buffer.from('text'))
  const model = Buffer.alloc(5 * PIECE_BYTES + 3)
  model[70] = 0x80
  t.ok(one.bytes().equals(model))
  t.equal(one.lend(0, 64)[0].buffer, two.lend(0, 64)[0].buffer)
  t.ok(PiecedString.zeros(rows, 1000, PIECE_BYTES).bytes().equals(Buffer.alloc(1000)))
})

t.test('a check reads each piece, and names what is missing; such a string is lost whole', async t => {
  const rows = new MemoryRows()
  const value = PiecedString.of(rows, Buffer.alloc(1000, 'x'), PIECE_BYTES)
  rows.flushAndEvict()
  const read = rows.read.bind(rows)
  const inspected = () => {
    const found: string[] = []
    let pages = 0
    const inspection = new Inspection(
      what => found.push(what),
      () => pages++,
    )
    value.check(inspection)
    return { found, pages, trees: [...inspection.trees], objects: inspection.objects }
  }
  const trees = [[value.treeId, { pages: 16, blocks: 0 }]]
  t.same(inspected(), { found: [], pages: 16, trees, objects: [value.object.id] })
  rows.read = (table, key) => (key.equals(numberedKey(value.treeId, 3)) ? undefined : read(table, key))
  const what = `piece 3 of string tree ${value.treeId} is missing`
  t.match(inspected(), { found: [`${what}; the string is lost`], pages: 16 })
  t.throws(() => value.bytes(), new CorruptionError(what))
  t.equal(value.bytes(0, 3 * PIECE_BYTES).length, 3 * PIECE_BYTES, 'what is before it can be read')
  t.equal(value.salvaged(), undefined)
  rows.read = read
  t.ok(value.salvaged() instanceof PiecedString)
})

t.test('in the directory it is a type of its own', async t => {
  const rows = new MemoryRows()
  const value = PiecedString.of(rows, Buffer.alloc(100, 'x'), PIECE_BYTES)
  t.equal(value.type, 'string')
  t.equal(value.spec, piecedStringType)
  rows.flush()
  const again = piecedStringType.load(rows, value.object.id) as PiecedString
  t.ok(again.bytes().equals(Buffer.alloc(100, 'x')))
  again.drop()
  rows.flush()
  t.equal(rows.read(Table.Heads, idKey(value.object.id)), undefined)
  t.equal(rows.rowCount(Table.Pages), 0)
})

t.test('bytes are cut into pieces of their own', async t => {
  const bytes = Buffer.alloc(2 * PIECE_BYTES + 1, 'x')
  const pieces = cut(bytes, PIECE_BYTES)
  t.same(
    pieces.map(piece => piece.length),
    [PIECE_BYTES, PIECE_BYTES, 1],
  )
  bytes.fill(0)
  t.equal(String(pieces[2]), 'x')
  t.same(cut(Buffer.alloc(0), 8), [])
})

t.test('a change that gets no memory changes nothing', async t => {
  const output = outputOfLimited(
    t,
    `const { PiecedString } = await load('src/types/string/pieced-string.ts')
    const { MemoryRows } = await load('src/store/memory-rows.ts')
    const long = PiecedString.zeros(new MemoryRows(), 300_000_000, 65536 - 64)
    const bytes = Buffer.alloc(255_000_000, 1)
    let reply = 'done'
    try { long.overwrite(5, bytes) } catch (error) { reply = error.message }
    console.log([reply, long.length, long.byteAt(5), long.byteAt(200_000_000)].join())`,
  )
  if (output !== undefined) t.equal(output, 'OOM the system gives no memory for this command,300000000,0,0\n')
})
