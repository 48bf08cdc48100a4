import t from 'tap'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { HashValue } from '../../../src/types/hash/hash-value.js'
import { Seeded } from '../../support/seeded.js'

const LIMITS = { entriesMax: 512, valueBytesMax: 64 }

function textOf(value: string | Buffer | undefined): string | undefined {
  return Buffer.isBuffer(value) ? value.toString('latin1') : value
}

function pairsOf(hash: HashValue): [string, string][] {
  const pairs: [string, string][] = []
  hash.each((field, value) => void pairs.push([field, textOf(value)!]))
  return pairs
}

t.test('a listpack keeps the order of its fields, however many the limits allow', async t => {
  const hash = HashValue.create(new MemoryRows())
  for (let i = 0; i < 512; i++) hash.set(`f${i}`, 'x'.repeat(64), LIMITS)
  t.equal(hash.encoding, 'listpack')
  t.same(
    pairsOf(hash).map(([field]) => field),
    Array.from({ length: 512 }, (_, i) => `f${i}`),
  )
  hash.set('one more', '', LIMITS)
  t.equal(hash.encoding, 'hashtable')
  t.equal(hash.count, 513)
})

t.test('one long field or value makes a hashtable for good, small as it may be', async t => {
  const long = 'x'.repeat(65)
  for (const [field, value] of [
    [long, 'v'],
    ['f', long],
    ['f', Buffer.from(long)],
  ] as const) {
    const hash = HashValue.create(new MemoryRows())
    hash.set('a', '1', LIMITS)
    hash.set(field, value, LIMITS)
    t.equal(hash.encoding, 'hashtable')
    t.same(pairsOf(hash), [
      ['a', '1'],
      [field, textOf(value)],
    ])
    hash.remove(field)
    t.equal(hash.encoding, 'hashtable')
  }
})

t.test('limits that were lowered meet a hash at its next change', async t => {
  const hash = HashValue.create(new MemoryRows())
  for (let i = 0; i < 5; i++) hash.set(`f${i}`, 'v', LIMITS)
  hash.remove('f0')
  t.equal(hash.encoding, 'listpack')
  hash.set('f1', 'w', { entriesMax: 2, valueBytesMax: 64 })
  t.equal(hash.encoding, 'hashtable')
})

t.test('hashes of every size equal a model through flushes, evictions, reloads and copies', async t => {
  const rng = new Seeded(Number(process.env.SEED ?? 20261130))
  t.comment(`SEED=${rng.seed}`)
  for (const [universe, valueBytes] of [
    [40, 20],
    [40, 200],
    [2000, 40],
    [60, 20_000],
  ]) {
    const rows = new MemoryRows(4096)
    let hash = HashValue.create(rows)
    const model = new Map<string, string>()
    for (let step = 0; step < 2000; step++) {
      const field = `field-${rng.below(universe)}`
      if (rng.chance(0.7)) {
        const value = rng.bytes(rng.below(valueBytes))
        const isNew = hash.set(field, rng.chance(0.5) ? value : value.toString('latin1'), LIMITS)
        if (isNew === model.has(field)) t.fail(`${field} new: ${isNew}`)
        model.set(field, value.toString('latin1'))
      } else if (hash.remove(field) !== model.delete(field)) t.fail(`removal of ${field}`)
      if (rng.chance(0.005)) {
        rows.flushAndEvict()
        if (rng.chance(0.5)) hash = HashValue.stored(rows, hash.object.id)
      }
      if (rng.chance(0.002)) {
        const twin = hash.copy()
        hash.drop()
        hash = twin
      }
      const probe = `field-${rng.below(universe)}`
      if (textOf(hash.get(probe)) !== model.get(probe)) t.fail(`value of ${probe} at step ${step}`)
    }
    const byName = (a: [string, string], b: [string, string]) => (a[0] < b[0] ? -1 : 1)
    t.same(pairsOf(hash).sort(byName), [...model].sort(byName))
    rows.flush()
    rows.verifyClean([hash])
  }
})

t.test('the digest follows from the content alone', async t => {
  const rows = new MemoryRows()
  const digestOf = (hash: HashValue) => {
    const pieces: string[] = []
    hash.digest(bytes => void pieces.push(Buffer.from(bytes).toString('latin1')))
    return pieces
  }
  const small = HashValue.create(rows)
  const large = HashValue.create(rows)
  const names = Array.from({ length: 400 }, (_, i) => `f${i}`)
  for (const name of names) small.set(name, `v${name}`, LIMITS)
  for (const name of [...names].reverse()) large.set(name, `v${name}`, { entriesMax: 1, valueBytesMax: 1 })
  t.not(small.encoding, large.encoding)
  t.same(digestOf(small), digestOf(large))
})

t.test('bytes of a head', async t => {
  const rows = new MemoryRows()
  const hash = HashValue.create(rows)
  hash.set('f', '1', LIMITS)
  t.same(hash.encodeRow(), Buffer.from('\x01\x02\x01\x01f\x011', 'latin1'))
  t.throws(() => HashValue.stored(rows, 99).count, { message: 'head of hash 99 is missing' })
})
