import t from 'tap'
import type { Test } from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { idKey, Table } from '../../../src/store/row.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { ExpiringFields } from '../../../src/types/hash/expiring-fields.js'
import { HashValue } from '../../../src/types/hash/hash-value.js'
import { FORM } from '../../../src/types/hashed/fields.js'
import { seeded } from '../../support/seeded.js'

const LIMITS = { entriesMax: 40, valueBytesMax: 64 }

interface Modelled {
  value: string
  atMs: number
}

/** Everything that can be asked of the hash, against the model. */
function compare(t: Test, hash: HashValue, model: Map<string, Modelled>): void {
  const pairs = new Map<string, string>()
  hash.each((field, value) => void pairs.set(field, typeof value === 'string' ? value : value.latin1Slice()))
  t.same([...pairs].sort(), [...model].map(([field, { value }]) => [field, value]).sort())
  for (const [field, { atMs }] of model) if (hash.expiryOf(field) !== atMs) t.equal(hash.expiryOf(field), atMs, field)
  const times = [...model.values()].map(({ atMs }) => atMs).filter(atMs => atMs !== 0)
  t.equal(hash.soonestExpiryMs, times.length === 0 ? 0 : Math.min(...times))
}

t.test('hashes of every size with expiries equal a model through flushes, evictions, reloads and copies', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (const names of [6, 60, 900]) {
    const rows = new MemoryRows(names === 900 ? 20_000 : 1_000_000)
    const model = new Map<string, Modelled>()
    let hash = HashValue.create(rows)
    hash.set('kept', '', LIMITS)
    model.set('kept', { value: '', atMs: 0 })
    for (let step = 0; step < 3000; step++) {
      const field = `f${random.below(names)}`
      const known = model.get(field)
      const dice = random.below(100)
      if (dice < 40) {
        const value = 'v'.repeat(random.below(20))
        const keeps = random.chance(0.3)
        if (!t.equal(hash.set(field, value, LIMITS, keeps), known === undefined)) t.bailout()
        model.set(field, { value, atMs: keeps ? (known?.atMs ?? 0) : 0 })
      } else if (dice < 70 && known !== undefined) {
        known.atMs = random.between(1, 1_000_000)
        hash.setExpiry(field, known.atMs)
      } else if (dice < 78) {
        if (hash.persist(field) !== (known !== undefined && known.atMs !== 0)) t.fail(`persist of ${field}`)
        if (known !== undefined) known.atMs = 0
      } else if (dice < 86) {
        if (hash.remove(field) !== model.delete(field)) t.fail(`removal of ${field}`)
      } else if (dice < 88) {
        const nowMs = random.between(1, 50_000)
        const due = hash.dueFields(nowMs, Infinity)
        const wanted = [...model].filter(([, { atMs }]) => atMs !== 0 && atMs <= nowMs)
        t.same([...due].sort(), wanted.map(([name]) => name).sort())
        for (const name of due) {
          hash.remove(name)
          model.delete(name)
        }
      } else if (dice === 98) {
        rows.flush()
        rows.cache.evictAll()
      } else if (dice === 99) {
        rows.flush()
        hash = random.chance(0.5) ? HashValue.stored(rows, hash.object.id) : hash.copy()
      }
      if (step % 100 === 0) compare(t, hash, model)
    }
    compare(t, hash, model)
    t.equal(hash.encoding, names === 6 ? 'listpackex' : 'hashtable')
    hash.drop()
  }
})

t.test('what is due comes in the order of time, not more than is asked for', async t => {
  const hash = HashValue.create(new MemoryRows())
  for (const [field, atMs] of [
    ['c', 30],
    ['a', 10],
    ['d', 40],
    ['b', 20],
  ] as const) {
    hash.set(field, 'v', LIMITS)
    hash.setExpiry(field, atMs)
  }
  t.same(hash.dueFields(30, 10), ['a', 'b', 'c'])
  t.same(hash.dueFields(30, 2), ['a', 'b'])
  t.same(hash.dueFields(9, 10), [])
})

t.test('a hash without expiries is stored as before; the first one gives it another form, for good', async t => {
  const hash = HashValue.create(new MemoryRows())
  hash.set('f', '1', LIMITS)
  t.equal(hash.encodeRow()[1], FORM.listpack)
  t.equal(hash.encoding, 'listpack')
  hash.setExpiry('f', 5)
  t.equal(hash.encodeRow()[1], FORM.expiringListpack)
  t.equal(hash.encoding, 'listpackex')
  hash.persist('f')
  t.equal(hash.encoding, 'listpackex', 'as in Redis')
  hash.set('f', 'x'.repeat(65), LIMITS)
  t.equal(hash.encodeRow()[1], FORM.expiringPacked)
  hash.set('f', 'x'.repeat(5000), LIMITS)
  t.equal(hash.encodeRow()[1], FORM.expiringTree)
})

t.test('a row with more expiries than fields is refused', async t => {
  const rows = new MemoryRows()
  const hash = HashValue.create(rows)
  hash.set('f', '1', LIMITS)
  hash.setExpiry('f', 5)
  rows.flush()
  const row = rows.read(Table.Heads, idKey(hash.object.id))!
  const home = { rows, object: hash.object, touchHead: () => undefined }
  t.equal(ExpiringFields.decode(FORM.expiringListpack, row.subarray(2), home, 'it').count, 1)
  const fields = row.subarray(2)
  // The fields are five bytes behind their length; without them one expiry is left.
  const emptied = Buffer.concat([Buffer.from([1, 0]), fields.subarray(1 + fields[0])])
  t.throws(() => ExpiringFields.decode(FORM.expiringListpack, emptied, home, 'it'), CorruptionError)
})
