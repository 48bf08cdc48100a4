import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { itemCodec, type ItemPage } from '../../src/pages/item-page.js'
import { seeded } from '../support/seeded.js'

const codec = itemCodec()

function contentsOf(page: ItemPage): [string, string][] {
  return Array.from({ length: page.count }, (_, i) => [
    page.keyAt(i).toString('latin1'),
    page.valueAt(i).toString('latin1'),
  ])
}

t.test('a page and a map agree, and views of it never change', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  let page = codec.empty()
  const model = new Map<string, string>()
  const views: { view: Buffer; copy: Buffer }[] = []
  const sorted = () => [...model].sort(([a], [b]) => (a < b ? -1 : 1))
  for (let step = 0; step < 4_000; step++) {
    const key = random.bytes(random.below(3))
    const name = key.toString('latin1')
    if (random.chance(0.55)) {
      const value = random.bytes(random.chance(0.02) ? 300 : random.below(20))
      t.equal(page.set(key, value), !model.has(name))
      model.set(name, value.toString('latin1'))
    } else {
      t.equal(page.remove(key), model.delete(name))
    }
    t.equal(page.get(key)?.toString('latin1'), model.get(name))
    if (random.chance(0.05) && page.count > 0) {
      const view = page.valueAt(random.below(page.count))
      views.push({ view, copy: Buffer.from(view) })
    }
    if (random.chance(0.02)) {
      t.equal(page.encodeBody().length, page.bodyBytes)
      page = codec.decode(page.encodeBody(), page.count)
    }
    if (random.chance(0.02) && page.count > 1) page.absorb(page.splitOff(random.between(1, page.count - 1)))
    if (random.chance(0.01)) {
      const from = random.between(0, page.count)
      const to = random.between(from, page.count)
      for (const [gone] of sorted().slice(from, to)) model.delete(gone)
      page.removeRange(from, to)
    }
    if (step % 50 === 0) t.same(contentsOf(page), sorted())
  }
  t.same(contentsOf(page), sorted())
  for (const { view, copy } of views) if (!view.equals(copy)) t.fail('bytes handed out have changed')
})

t.test('replacing a value again and again does not grow the page', async t => {
  const page = codec.empty()
  for (let i = 0; i < 10_000; i++) page.set(Buffer.from('k'), Buffer.from(String(i)))
  t.equal(page.get(Buffer.from('k'))?.toString(), '9999')
  t.ok(page.memoryBytes < 1_000)
})

t.test('the separator is as short as it can be, above the key before and not above the key', async t => {
  const separator = (before: string | undefined, key: string) =>
    codec.separator(before === undefined ? undefined : Buffer.from(before), Buffer.from(key)).toString()
  t.equal(separator('apple', 'banana'), 'b')
  t.equal(separator('apple', 'apply'), 'apply')
  t.equal(separator('app', 'apple'), 'appl')
  t.equal(separator('', 'apple'), 'a')
  t.equal(separator(undefined, 'apple'), 'apple')
})

t.test('a damaged body is refused', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const page = codec.empty()
  for (let i = 0; i < 20; i++) page.set(random.bytes(5), random.bytes(i * 10))
  const body = page.encodeBody()
  t.throws(() => codec.decode(body, 19), CorruptionError)
  t.throws(() => codec.decode(body, 21), CorruptionError)
  t.throws(() => codec.decode(body, 4_000_000_000), CorruptionError)
  for (let i = 0; i < 1_000; i++) {
    const damaged = Buffer.from(body)
    damaged[random.below(body.length)] ^= 1 << random.below(8)
    try {
      t.equal(codec.decode(damaged, 20).encodeBody().length, body.length)
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error
    }
  }
})
