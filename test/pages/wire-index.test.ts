import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { compareIds, formatId, idOf } from '../../src/base/stream-id.js'
import type { StreamId } from '../../src/base/stream-id.js'
import { WireIndex } from '../../src/pages/wire-index.js'
import { seeded } from '../support/seeded.js'
import { probesOf, skewedLists } from '../support/skewed-ids.js'

function entry(id: StreamId): string {
  const text = formatId(id)
  return `*2\r\n$${text.length}\r\n${text}\r\n*2\r\n$1\r\nf\r\n$2\r\nvv\r\n`
}

function scanned(ids: readonly StreamId[]): { index: WireIndex; offsets: number[]; bytes: Buffer } {
  const offsets: number[] = []
  let text = '....'
  for (const id of ids) {
    offsets.push(text.length)
    text += entry(id)
  }
  const bytes = Buffer.from(text)
  return { index: WireIndex.scan(bytes, 4, bytes.length, ids.length), offsets, bytes }
}

t.test('a scan finds where entries begin, and their IDs', async t => {
  const ids = [idOf(1), idOf(1, 2 ** 40), idOf(2 ** 41, 3)]
  const { index, offsets } = scanned(ids)
  t.equal(index.count, 3)
  t.same(
    [0, 1, 2].map(i => index.offsetAt(i)),
    offsets,
  )
  t.same(
    [0, 1, 2].map(i => index.idAt(i)),
    ids,
  )
})

t.test('bytes that are not just so many entries with ascending IDs are refused', async t => {
  const { bytes } = scanned([idOf(1), idOf(2)])
  for (const count of [1, 3]) t.throws(() => WireIndex.scan(bytes, 4, bytes.length, count), CorruptionError)
  t.throws(() => WireIndex.scan(bytes, 4, bytes.length - 1, 2), CorruptionError)
  for (const second of [idOf(1), idOf(0, 5)]) {
    const text = Buffer.from(entry(idOf(1)) + entry(second))
    t.throws(() => WireIndex.scan(text, 0, text.length, 2), /out of order/)
  }
})

t.test('it agrees with a plain array through pushes, drops, shifts, slices and joins', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 50; round++) {
    let index = new WireIndex(random.below(4))
    let model: { offset: number; ms: number }[] = []
    let ms = 0
    let offset = 0
    const push = () => {
      index.push((offset += random.between(1, 30)), idOf((ms += random.between(1, 3))))
      model.push({ offset, ms })
    }
    for (let step = 0; step < 80; step++) {
      const choice = random.below(8)
      if (choice < 4) push()
      else if (choice === 4 && model.length > 0) {
        const entries = random.below(model.length)
        index.dropFirst(entries)
        model.splice(0, entries)
      } else if (choice === 5 && model.length > 0) {
        const entries = random.below(model.length)
        index.dropLast(entries)
        model.length -= entries
      } else if (choice === 6) {
        index.shift(3)
        model = model.map(item => ({ ...item, offset: item.offset + 3 }))
        offset += 3
      } else {
        const at = random.between(0, model.length)
        const left = index.slice(0, at, 0)
        left.append(index.slice(at, model.length, 0), 0)
        index = left
      }
    }
    const held = Array.from({ length: index.count }, (_, i) => ({ offset: index.offsetAt(i), id: index.idAt(i) }))
    t.same(
      held,
      model.map(item => ({ offset: item.offset, id: idOf(item.ms) })),
      `round ${round}`,
    )
    for (const probe of [0, ms >> 1, ms, ms + 1]) {
      const first = model.findIndex(item => item.ms >= probe)
      t.equal(index.lowerBound(idOf(probe)), first < 0 ? model.length : first)
      const behind = model.findIndex(item => item.offset >= probe)
      t.equal(index.indexAtOffset(probe), behind < 0 ? model.length : behind)
    }
  }
})

t.test('comparison has the sign of that of the IDs, in every half', async t => {
  const ids = [idOf(1, 1), idOf(1, 2), idOf(1, 2 ** 32), idOf(2), idOf(2 ** 32)]
  const { index } = scanned(ids)
  for (const [i, a] of ids.entries()) {
    for (const b of ids) t.equal(Math.sign(index.compareAt(i, b)), Math.sign(compareIds(a, b)))
  }
})

t.test('a search finds its place however the IDs are spread', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 20; round++) {
    for (const ids of skewedLists(random)) {
      const index = new WireIndex(0)
      for (const [i, id] of ids.entries()) index.push(i, id)
      const dropped = random.below(ids.length)
      index.dropFirst(dropped)
      const left = ids.slice(dropped)
      for (const id of probesOf(left)) {
        const expected = left.filter(other => compareIds(other, id) < 0).length
        if (index.lowerBound(id) !== expected)
          t.equal(index.lowerBound(id), expected, `${formatId(id)} of ${left.length}`)
      }
    }
  }
})
