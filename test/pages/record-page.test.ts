import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { compareIds, formatId, idOf, putId } from '../../src/base/stream-id.js'
import { recordCodec, type RecordPage } from '../../src/pages/record-page.js'
import { seeded } from '../support/seeded.js'
import { probesOf, skewedLists } from '../support/skewed-ids.js'

const codec = recordCodec({ kind: 2, payloadBytes: 12, summaryAt: 4 })

function write(page: RecordPage, index: number, value: number): void {
  page.bytes.writeUIntBE(value, page.payloadAt(index) + 6, 6)
  page.written(index)
}

t.test('a page and a sorted array agree', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  let page = codec.empty()
  let model: { n: number; value: number }[] = []
  for (let step = 0; step < 3_000; step++) {
    const n = random.below(400)
    const at = model.findIndex(m => m.n >= n)
    const expected = at === -1 ? model.length : at
    t.equal(page.lowerBound(idOf(n)), expected)
    const present = model[expected]?.n === n
    t.equal(page.indexOf(idOf(n)), present ? expected : -1)
    if (present && random.chance(0.5)) {
      const to = random.between(expected + 1, Math.min(model.length, expected + 3))
      page.removeRange(expected, to)
      model.splice(expected, to - expected)
    } else {
      const value = random.between(1, 1_000_000)
      if (!present) {
        t.equal(page.insert(idOf(n)), expected)
        t.equal(page.bytes.readUIntBE(page.payloadAt(expected) + 6, 6), 0, 'a new payload is zeros')
        model.splice(expected, 0, { n, value })
      }
      model[expected] = { n, value }
      write(page, expected, value)
    }
    const lowest = Math.min(...model.map(m => m.value), Number.MAX_SAFE_INTEGER)
    if (page.summary > lowest) t.fail('the summary is no lower bound')
    const [from, max] = [random.between(0, model.length), random.pick([lowest - 1, lowest, lowest + 1, 500_000])]
    const first = model.findIndex((m, i) => i >= from && m.value <= max)
    if (page.firstAtMost(from, max) !== (first === -1 ? model.length : first))
      return t.fail(`step ${step}: firstAtMost`)
    if (random.chance(0.05)) {
      page.refreshSummary()
      t.equal(page.summary, lowest)
    }
    if (random.chance(0.05)) page = codec.decode(page.encodeBody(), page.count)
    if (random.chance(0.05) && model.length > 1) {
      const right = page.splitOff(random.between(1, model.length - 1))
      page.absorb(right)
    }
    if (random.chance(0.02)) {
      const kept = model.slice(0, 5)
      page.removeRange(kept.length, page.count)
      model = kept
    }
  }
  t.same(
    model.map((_, i) => ({ n: page.keyAt(i).msLo, value: page.bytes.readUIntBE(page.payloadAt(i) + 6, 6) })),
    model,
  )
})

t.test('one record after another grows old and young again, and the page is not read through', async t => {
  const page = codec.empty()
  for (let n = 0; n < 100; n++) write(page, page.insert(idOf(n)), 1_000 + n)
  page.refreshSummary()
  // What is read shows in how often the page asks for a view of its bytes.
  let views = 0
  const { buffer } = page.bytes
  Object.defineProperty(page.bytes, 'buffer', { get: () => (views++, buffer) })
  for (let n = 50; n < 60; n++) {
    write(page, n, 7)
    t.same([page.summary, page.firstAtMost(0, 500), page.firstAtMost(n + 1, 500)], [7, n, 100])
    t.equal(page.firstVisible(0, 500), n)
    write(page, n, 5_000)
    t.equal(page.summary, 1_000, 'the bound is tight again')
  }
  t.equal(views, 0)
  t.equal(page.firstAtMost(1, 1_001), 1)
  t.ok(views > 0, 'where others may be found they are looked for')
})

t.test('a run is appended whole', async t => {
  const page = codec.empty()
  page.insert(idOf(1))
  const run = Buffer.alloc(5 + 28 * 100)
  for (let i = 0; i < 100; i++) {
    putId(run, 5 + 28 * i, idOf(10 + i))
    run.writeUIntBE(900 + i, 5 + 28 * i + 22, 6)
  }
  page.removeRange(0, 1)
  page.insert(idOf(2))
  write(page, 0, 5_000)
  page.refreshSummary()
  t.equal(page.insertRun(run, 5, 100), 1)
  t.equal(page.count, 101)
  t.equal(page.summary, 900)
  t.equal(page.indexOf(idOf(109)), 100)
  t.throws(() => page.insertRun(run, 5, 100), /a run is appended in order/)
  page.removeRange(1, 101)
  page.insertRun(run, 5, 100, 899)
  t.equal(page.summary, 899, 'the bound given is taken as it is')
})

t.test('hidden records are passed over by firstVisible() alone, and the disk does not know of them', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  let page = codec.empty()
  let model: { n: number; value: number; hidden: boolean }[] = []
  for (let step = 0; step < 2_000; step++) {
    const n = random.below(120)
    const index = page.indexOf(idOf(n))
    if (index === -1) {
      const value = random.below(50)
      write(page, page.insert(idOf(n)), value)
      model.push({ n, value, hidden: false })
      model.sort((a, b) => a.n - b.n)
    } else if (random.chance(0.4)) {
      page.hide(index)
      model[index].hidden = true
    } else if (random.chance(0.5)) {
      page.removeRange(index, index + 1)
      model.splice(index, 1)
    } else {
      page.bytes.fill(0, page.payloadAt(index) + 4, page.payloadAt(index) + 12)
      write(page, index, (model[index].value = random.below(50)))
      model[index].hidden = false
    }
    if (random.chance(0.05) && model.length > 1) {
      const right = page.splitOff(random.between(1, model.length - 1))
      page.absorb(right)
    }
    if (random.chance(0.02)) {
      page = codec.decode(page.encodeBody(), page.count)
      for (const one of model) one.hidden = false
    }
    if (random.chance(0.02)) {
      page.unhide()
      for (const one of model) one.hidden = false
    }
    const [from, max] = [random.between(0, model.length), random.below(50)]
    const first = (wanted: (one: { value: number; hidden: boolean }) => boolean) => {
      const at = model.findIndex((one, i) => i >= from && wanted(one))
      return at === -1 ? model.length : at
    }
    if (page.firstAtMost(from, max) !== first(one => one.value <= max)) return t.fail(`step ${step}`)
    if (page.firstVisible(from, max) !== first(one => one.value <= max && !one.hidden)) return t.fail(`step ${step}`)
    const lowest = (some: typeof model) => Math.min(...some.map(one => one.value), Number.MAX_SAFE_INTEGER)
    if (page.summary > lowest(model)) return t.fail(`step ${step}: the summary is no lower bound`)
    if (page.visibleSummary > lowest(model.filter(one => !one.hidden))) return t.fail(`step ${step}: visible`)
    if (random.chance(0.1)) {
      page.refreshSummary()
      t.equal(page.visibleSummary, lowest(model.filter(one => !one.hidden)))
    }
  }
  t.equal(page.count, model.length)
})

t.test('records may be IDs alone', async t => {
  const ids = recordCodec({ kind: 3, payloadBytes: 0 })
  const page = ids.empty()
  for (const n of [5, 3, 4]) page.insert(idOf(n))
  t.equal(page.summary, 0)
  t.equal(page.bodyBytes, 48)
  t.equal(ids.decode(page.encodeBody(), 3).keyAt(1).msLo, 4)
  t.throws(() => page.insert(idOf(4)), /a record is inserted once/)
})

t.test('a body of another length or order is refused', async t => {
  const page = codec.empty()
  for (const n of [1, 2, 3]) page.insert(idOf(n))
  const body = page.encodeBody()
  t.throws(() => codec.decode(body, 2), CorruptionError)
  t.throws(() => codec.decode(body.subarray(1), 3), CorruptionError)
  body[7] ^= 4
  t.throws(() => codec.decode(body, 3), CorruptionError)
})

t.test('encoded bytes do not change with the page', async t => {
  const page = codec.empty()
  page.insert(idOf(2))
  const body = page.encodeBody()
  const copy = Buffer.from(body)
  page.insert(idOf(1))
  t.same(body, copy)
})

t.test('an emptied page takes records again, and shares no memory with the page that got its buffer', async t => {
  const pages = [codec.empty(), codec.empty()]
  const run = Buffer.alloc(28 * 200)
  for (let i = 0; i < 200; i++) putId(run, 28 * i, idOf(1 + i))
  for (let round = 0; round < 3; round++) {
    for (const page of pages) page.insertRun(run, 0, 200)
    pages[0].removeRange(0, 200)
    t.equal(pages[0].bodyBytes, 0)
    pages[0].insert(idOf(999))
    for (let i = 0; i < 200; i++) if (pages[1].indexOf(idOf(1 + i)) !== i) t.fail(`record ${i} is gone`)
    pages[0].removeRange(0, 1)
    pages[1].removeRange(0, 200)
  }
})

t.test('a search finds its place however the IDs are spread', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 20; round++) {
    for (const ids of skewedLists(random)) {
      const page = recordCodec({ kind: 1, payloadBytes: random.pick([0, 20]) }).empty()
      for (const id of ids) page.insert(id)
      for (const id of probesOf(ids)) {
        const expected = ids.filter(other => compareIds(other, id) < 0).length
        if (page.lowerBound(id) !== expected) t.equal(page.lowerBound(id), expected, `${formatId(id)} of ${ids.length}`)
      }
    }
  }
})
