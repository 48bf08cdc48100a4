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

t.test('keys that begin alike are found, whatever share of them the others have', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const start = random.bytes(20)
  const keyOf = () => Buffer.concat([start.subarray(0, random.chance(0.02) ? random.below(20) : 20), random.bytes(2)])
  const page = codec.empty()
  const model = new Map<string, Buffer>()
  for (let step = 0; step < 2_000; step++) {
    const key = keyOf()
    if (random.chance(0.3)) {
      t.equal(page.remove(key), model.delete(key.toString('latin1')))
    } else {
      page.set(key, String(step))
      model.set(key.toString('latin1'), key)
    }
    const other = random.chance(0.5) ? keyOf() : random.bytes(random.below(5))
    if (step % 20 > 0) continue
    const keys = [...model.values()].sort(Buffer.compare)
    for (const one of [key, other]) {
      t.equal(page.lowerBound(one), keys.filter(before => Buffer.compare(before, one) < 0).length)
      t.equal(page.indexOf(one) !== -1, model.has(one.toString('latin1')))
    }
  }
})

t.test('keys are found wherever they crowd, and behind any number of bytes that all share', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  /** Eight bytes: evenly spread, nearly all beside each other, growing ever faster, or two far apart with a crowd. */
  const spreads: (() => number)[] = [
    () => random.below(2 ** 32),
    () => (random.chance(0.05) ? random.below(2 ** 32) : 77_000 + random.below(200)),
    () => 2 ** random.below(32),
    () => (random.chance(0.5) ? 1 : 2 ** 32 - 1 - random.below(3)),
  ]
  for (const numberOf of spreads) {
    for (let shared = 0; shared <= 12; shared++) {
      const start = random.bytes(shared)
      const keyOf = () => {
        const number = Buffer.alloc(4)
        number.writeUInt32BE(numberOf())
        return Buffer.concat([start, number, random.bytes(1 + random.below(3))])
      }
      const page = codec.empty()
      const keys = Array.from({ length: 150 }, keyOf)
      for (const key of keys) page.set(key, 'v')
      const gone = random.between(0, 60)
      page.removeRange(0, random.between(0, gone))
      page.removeRange(page.count - random.between(0, gone), page.count)
      const left = Array.from({ length: page.count }, (_, i) => Buffer.from(page.keyAt(i)))
      const beside = [start, random.bytes(shared), random.bytes(20), Buffer.concat([start, Buffer.alloc(9, 255)])]
      for (const key of [...keys, ...Array.from({ length: 20 }, keyOf), ...beside]) {
        const expected = left.filter(before => Buffer.compare(before, key) < 0).length
        if (page.lowerBound(key) !== expected) t.equal(page.lowerBound(key), expected, key.toString('hex'))
      }
      t.pass(`${page.count} keys that share ${shared} bytes`)
    }
  }
})

t.test('prefixes of separators follow their order', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const keys = Array.from({ length: 300 }, () =>
    Buffer.concat([Buffer.alloc(random.below(5)), random.bytes(random.below(4))]),
  )
  for (const a of keys) {
    for (const b of keys) {
      if ((codec.prefix!(a) - codec.prefix!(b)) * codec.compare(a, b) < 0) {
        t.fail(`${a.toString('hex')} and ${b.toString('hex')}`)
      }
    }
  }
  t.ok(codec.prefix!(Buffer.from('abcdef')) < codec.prefix!(Buffer.from('abcdeg')))
})

t.test('replacing values in a full page moves it now and then, not each time', async t => {
  const page = codec.empty()
  const keys = Array.from({ length: 150 }, (_, i) => Buffer.from(`key ${i}`))
  for (const key of keys) page.set(key, 'v'.repeat(40))
  let moves = 0
  let from = page.keyAt(0).buffer
  for (let i = 0; i < 3_000; i++) {
    page.set(keys[i % 150], String(i).padStart(40, 'w'))
    const { buffer } = page.keyAt(0)
    if (buffer !== from) moves++
    from = buffer
  }
  t.ok(moves > 0 && moves < 300, `${moves} moves`)
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
