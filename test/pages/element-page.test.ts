import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { elementBytes, elementCodec, ElementPage } from '../../src/pages/element-page.js'
import { seeded } from '../support/seeded.js'

function elementsOf(page: ElementPage): string[] {
  return Array.from({ length: page.count }, (_, i) => page.at(i).toString('latin1'))
}

t.test('a page and an array agree, and views of it never change', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  let page = ElementPage.empty()
  const model: string[] = []
  const views: { view: Buffer; copy: Buffer }[] = []
  for (let step = 0; step < 5_000; step++) {
    const value = random.bytes(random.chance(0.02) ? 300 : random.below(20))
    const text = value.toString('latin1')
    const at = random.pick([0, model.length, random.between(0, model.length)])
    if (random.chance(0.5)) {
      page.insert(at, value)
      model.splice(at, 0, text)
    } else if (at < model.length && random.chance(0.3)) {
      page.replace(at, value)
      model[at] = text
    } else if (model.length > 0) {
      const from = random.pick([0, model.length - 1, random.below(model.length)])
      const to = Math.min(from + random.between(0, 3), model.length)
      page.removeRange(from, to)
      model.splice(from, to - from)
    }
    if (page.count > 0 && random.chance(0.05)) {
      const view = page.at(random.below(page.count))
      views.push({ view, copy: Buffer.from(view) })
    }
    if (random.chance(0.02)) {
      t.equal(page.encodeBody().length, page.bodyBytes)
      page = elementCodec.decode(page.encodeBody(), page.count)
    }
    if (random.chance(0.02) && page.count > 1) page.absorb(page.splitOff(random.between(1, page.count - 1)))
    if (step % 50 === 0) t.same(elementsOf(page), model)
  }
  t.same(elementsOf(page), model)
  for (const { view, copy } of views) if (!view.equals(copy)) t.fail('bytes handed out have changed')
})

t.test('is() tells elements apart that begin or end alike', async t => {
  const page = ElementPage.empty()
  const values = ['', 'a', 'b', 'aa', 'x'.repeat(16), 'x'.repeat(17), `${'x'.repeat(16)}y`, 'x'.repeat(200)]
  for (const value of values) page.insert(page.count, Buffer.from(value))
  for (const [i, value] of values.entries()) {
    t.same(
      values.map((_, k) => page.is(k, Buffer.from(value))),
      values.map((_, k) => k === i),
    )
  }
})

t.test('a queue that goes round and round stays small', async t => {
  const page = ElementPage.empty()
  for (let i = 0; i < 10_000; i++) {
    page.insert(page.count, Buffer.from(String(i)))
    if (page.count > 3) page.removeRange(0, 1)
    page.insert(0, Buffer.from('first'))
    page.removeRange(0, 1)
  }
  t.same(elementsOf(page), ['9997', '9998', '9999'])
  t.ok(page.memoryBytes < 1_000)
})

t.test('indexAtBytes counts what elements take', async t => {
  const page = ElementPage.empty()
  for (const length of [0, 1, 127, 128, 20_000]) page.insert(page.count, Buffer.alloc(length))
  t.same([elementBytes(0), elementBytes(127), elementBytes(128), elementBytes(20_000)], [1, 128, 130, 20_003])
  t.equal(page.bodyBytes, 1 + 2 + 128 + 130 + 20_003)
  t.same(
    [0, 1, 2, 3, 131, 260, 261, 30_000].map(bytes => page.indexAtBytes(bytes)),
    [0, 1, 1, 2, 3, 3, 4, 5],
  )
})

t.test('damaged bodies are refused', async t => {
  for (const [hex, count] of [
    ['0161', 2],
    ['01610162', 1],
    ['0261', 1],
    ['80', 1],
    ['808080808001', 1],
    ['', 1],
    ['00', 0],
  ] as const) {
    t.throws(() => elementCodec.decode(Buffer.from(hex, 'hex'), count), CorruptionError, hex)
  }
  t.same(elementsOf(elementCodec.decode(Buffer.from('0161000162', 'hex'), 3)), ['a', '', 'b'])
  t.throws(() => elementCodec.decodeKey(Buffer.from('a')), CorruptionError)
})
