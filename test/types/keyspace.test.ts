import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { CorruptionError } from '../../src/base/errors.js'
import { ID_MIN, idOf } from '../../src/base/stream-id.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { Row, Table } from '../../src/store/row.js'
import { Keyspace } from '../../src/types/keyspace.js'
import type { Database } from '../../src/types/keyspace.js'
import { Stream } from '../../src/types/stream/stream.js'
import { StringValue } from '../../src/types/string/string-value.js'
import { Seeded, seeded } from '../support/seeded.js'
import { append } from './stream/stream-fixture.js'

const NOW_MS = 1_700_000_000_000

function open(rows: MemoryRows, databases = 4): Keyspace {
  const keyspace = new Keyspace({ rows, databases, clock: new FakeClock(NOW_MS) })
  keyspace.load()
  return keyspace
}

function put(db: Database, keyspace: Keyspace, key: string, text: string): void {
  db.put(key, StringValue.create(keyspace.rows, text))
}

const textOf = (db: Database, key: string) => db.typed<StringValue>(key, 'string')?.content()

t.test('keys, values and expiries come back after a reload', async t => {
  const rows = new MemoryRows()
  const before = open(rows)
  const long = '\xfe'.repeat(5000)
  put(before.database(0), before, 'a', '1')
  put(before.database(0), before, long, 'long')
  put(before.database(3), before, '', 'empty name')
  before.database(0).setExpiry(before.database(0).peek('a')!, NOW_MS + 50)
  rows.flush()
  const after = open(rows)
  t.equal(textOf(after.database(0), 'a'), '1')
  t.equal(textOf(after.database(0), long), 'long')
  t.equal(textOf(after.database(3), ''), 'empty name')
  t.equal(after.database(0).peek('a')!.expireAtMs, NOW_MS + 50)
  t.equal(after.database(0).expiringCount, 1)
  t.equal(after.database(1).size, 0)
})

t.test('an expired key is gone for find, peek, keys, scan and random, and told once', async t => {
  const keyspace = open(new MemoryRows())
  const expired: string[] = []
  keyspace.hooks = { onExpired: (db, key) => void expired.push(`${db.index}:${key}`) }
  const db = keyspace.database(1)
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    put(db, keyspace, key, key)
    db.setExpiry(db.peek(key)!, NOW_MS + 10)
  }
  put(db, keyspace, 'stays', 'x')
  keyspace.nowMs = NOW_MS + 10
  t.ok(db.find('a'), 'a key lives through the millisecond of its expiry')
  keyspace.nowMs = NOW_MS + 11
  keyspace.replaying = true
  t.ok(db.find('a'), 'nothing expires at replay')
  keyspace.replaying = false
  t.equal(db.find('a'), undefined)
  t.equal(db.peek('b'), undefined)
  t.same(
    [...db.keys()].map(entry => entry.name),
    ['stays'],
  )
  t.same(expired, ['1:a', '1:b'])
  t.same(
    db
      .look(0n, 10)
      .entries.map(entry => entry.name)
      .sort(),
    ['c', 'd', 'e', 'stays'],
    'a look removes nothing',
  )
  t.same(db.expireSome(2), { removed: 2, more: true })
  t.same(db.expireSome(2), { removed: 1, more: false })
  const random = new Seeded(1)
  t.equal(db.random(() => random.fraction())?.name, 'stays')
  t.same(
    db.scan(0n, 10).entries.map(entry => entry.name),
    ['stays'],
  )
  t.same(expired.sort(), ['1:a', '1:b', '1:c', '1:d', '1:e'])
  t.equal(db.expiringCount, 0)
})

t.test('look-ups count hits and misses, note accesses, or neither', async t => {
  const keyspace = open(new MemoryRows())
  const db = keyspace.database(0)
  put(db, keyspace, 'a', '1')
  keyspace.nowMs = NOW_MS + 5000
  db.peek('a')
  db.findUntouched('a')
  t.equal(db.peek('a')!.accessMs, NOW_MS)
  keyspace.notesAccess = false
  db.find('a')
  t.equal(db.peek('a')!.accessMs, NOW_MS)
  keyspace.notesAccess = true
  db.findToWrite('a')
  t.equal(db.peek('a')!.accessMs, NOW_MS + 5000)
  db.find('none')
  t.same([keyspace.hits, keyspace.misses], [2, 1])
  t.throws(() => db.typed('a', 'stream'), { message: /^WRONGTYPE/ })
})

t.test('a key made again after a flush survives the slices of its predecessor, also after a crash', async t => {
  const rows = new MemoryRows()
  const keyspace = open(rows)
  const db = keyspace.database(0)
  for (let i = 0; i < 100; i++) put(db, keyspace, `k${i}`, 'old')
  put(keyspace.database(1), keyspace, 'old object', 'moved')
  rows.flush()
  t.equal(db.flush(), 100)
  t.equal(db.size, 0)
  t.equal(keyspace.lazyFreePending, 100)
  put(db, keyspace, 'k7', 'new')
  const moved = keyspace.database(1).detach('old object')!
  db.put('old object', moved.value)
  t.equal(keyspace.lazyFreeSome(30), true)
  rows.flush()
  const restarted = open(rows)
  t.equal(restarted.lazyFreePending, 70, 'the slices go on after a restart')
  t.equal(restarted.database(0).size, 2)
  while (restarted.lazyFreeSome(30));
  t.equal(restarted.lazyFreePending, 0)
  rows.flush()
  t.equal(rows.rowCount(Table.Directory), 2)
  t.equal(rows.rowCount(Table.Heads), 2)
  const last = open(rows)
  t.equal(textOf(last.database(0), 'k7'), 'new')
  t.equal(textOf(last.database(0), 'old object'), 'moved', 'an object older than the flush may live in the database')
  t.equal(last.lazyFreePending, 0)
})

t.test('more databases than before get slots of their own, fewer lose nothing', async t => {
  const rows = new MemoryRows()
  const small = open(rows, 2)
  put(small.database(1), small, 'a', '1')
  small.database(1).flush()
  put(small.database(1), small, 'b', '2')
  small.swap(0, 1)
  rows.flush()
  const large = open(rows, 6)
  put(large.database(5), large, 'c', '3')
  rows.flush()
  t.equal(open(rows, 1).database(0).size, 1)
  const again = open(rows, 6)
  t.equal(textOf(again.database(0), 'b'), '2')
  t.equal(textOf(again.database(5), 'c'), '3')
})

/** A row of the directory that no version ever wrote. */
class OddRow extends Row {
  override readonly table = Table.Directory
  override readonly owner = undefined
  override rowKey = () => Buffer.from('000000000061', 'hex')
  override encodeRow = () => Buffer.from('016300000000000001', 'hex')
  override rowBytes = () => 10
}

t.test('a type that this version does not know stops the load', async t => {
  const rows = new MemoryRows()
  rows.touch(new OddRow())
  rows.flush()
  t.throws(() => open(rows), CorruptionError)
  t.throws(() => open(rows), { message: /type code 99/ })
})

interface Modelled {
  text: string
  expireAtMs: number
}

type Model = Map<string, Modelled>[]

function change(random: Seeded, keyspace: Keyspace, model: Model): void {
  const index = random.below(3)
  const db = keyspace.database(index)
  const keys = model[index]
  const key = random.chance(0.1) ? 'L'.repeat(600 + random.below(3)) : `k${random.below(40)}`
  const entry = db.peek(key)
  switch (random.below(9)) {
    case 0:
    case 1:
    case 2:
      put(db, keyspace, key, `${random.below(1e6)}`)
      keys.set(key, { text: textOf(db, key) as string, expireAtMs: 0 })
      break
    case 3:
      db.remove(key)
      keys.delete(key)
      break
    case 4:
      if (entry === undefined) break
      db.setExpiry(entry, random.chance(0.3) ? 0 : NOW_MS + random.between(1, 1000))
      keys.get(key)!.expireAtMs = entry.expireAtMs
      break
    case 5:
      if (entry === undefined) break
      ;(entry.value as StringValue).assign('changed')
      keys.get(key)!.text = 'changed'
      break
    case 6: {
      const taken = db.detach(key)
      const target = random.below(3)
      if (taken === undefined) break
      const moved = keyspace.database(target).put('moved', taken.value)
      keyspace.database(target).setExpiry(moved, taken.expireAtMs)
      const item = keys.get(key)!
      keys.delete(key)
      model[target].set('moved', item)
      break
    }
    case 7:
      if (random.chance(0.9)) break
      db.flush()
      keys.clear()
      break
    default: {
      if (random.chance(0.8)) break
      const other = random.below(3)
      keyspace.swap(index, other)
      const held = model[index]
      model[index] = model[other]
      model[other] = held
    }
  }
}

function dump(db: Database): Map<string, Modelled> {
  const all: [string, Modelled][] = []
  for (const entry of db.keys()) {
    all.push([entry.name, { text: (entry.value as StringValue).content() as string, expireAtMs: entry.expireAtMs }])
  }
  return new Map(all.sort())
}

t.test('agrees with a Map per database through flushes, evictions and reloads', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const rows = new MemoryRows()
  let keyspace = open(rows, 3)
  const model: Model = [new Map(), new Map(), new Map()]
  for (let round = 0; round < 150; round++) {
    for (let i = 0; i < 40; i++) change(random, keyspace, model)
    if (random.chance(0.4)) keyspace.lazyFreeSome(random.below(50))
    if (random.chance(0.3)) rows.flush()
    if (random.chance(0.3)) rows.flushAndEvict()
    if (random.chance(0.2)) {
      rows.flush()
      keyspace = open(rows, 3)
    }
    for (const db of keyspace.databases) {
      const wanted = new Map([...model[db.index]].sort())
      if (db.size !== wanted.size) t.fail(`round ${round}: ${db.size} keys, not ${wanted.size}`)
      t.strictSame(dump(db), wanted, `round ${round}, database ${db.index}`)
    }
  }
  for (const db of keyspace.databases) db.flush()
  while (keyspace.lazyFreeSome(100));
  rows.flush()
  t.equal(rows.rowCount(Table.Directory), 0, 'no row is left behind')
  t.equal(rows.rowCount(Table.Heads), 0)
})

/** A stream of `groups` groups, the first of which has `consumers` consumers; every consumer has an entry pending. */
function manyGroups(rows: MemoryRows, groups: number, consumers: number): Stream {
  const stream = Stream.create(rows)
  for (let ms = 1; ms <= consumers; ms++) append(stream, idOf(ms))
  for (let g = 0; g < groups; g++) {
    const group = stream.createGroup(`g${g}`, ID_MIN, 0)
    for (let c = 0; c < (g === 0 ? consumers : 1); c++) {
      group.deliver(group.ensureConsumer(`c${c}`, 1).consumer, 1, 1, false)
    }
  }
  return stream
}

const rowsLeft = (rows: MemoryRows) =>
  [Table.Directory, Table.Heads, Table.Parts, Table.Blocks, Table.Pages].map(table => rows.rowCount(table))

for (const how of ['removed', 'replaced', 'flushed', 'expired'] as const) {
  t.test(`a stream of many groups that is ${how} is dropped in slices, over restarts, and nothing is left`, async t => {
    const rows = new MemoryRows()
    let keyspace = open(rows)
    keyspace.database(2).put('s', manyGroups(rows, 300, 150))
    rows.flush()
    keyspace = open(rows)
    const drops: number[] = []
    const drop = rows.drop.bind(rows)
    rows.drop = (object, treeIds) => {
      drops.push(object.id)
      drop(object, treeIds)
    }
    const db = keyspace.database(2)
    if (how === 'removed') db.remove('s')
    else if (how === 'replaced') put(db, keyspace, 's', 'text')
    else if (how === 'flushed') db.flush()
    else db.setExpiry(db.peek('s')!, NOW_MS - 1)
    t.equal(db.peek('s')?.type, how === 'replaced' ? 'string' : undefined)
    t.equal(drops.length, 0, 'the command drops nothing itself')
    t.equal(keyspace.lazyFreePending, 1)
    let slices = 0
    for (let more = true; more; slices++) {
      const before = drops.length
      more = keyspace.lazyFreeSome(10)
      t.ok(drops.length - before <= 12, `slice ${slices}: ${drops.length - before} objects`)
      // A checkpoint and a start between any two slices.
      rows.flush()
      if (slices % 7 === 3) keyspace = open(rows)
    }
    t.ok(slices >= 40)
    t.equal(keyspace.lazyFreePending, 0)
    if (how === 'replaced') keyspace.database(2).remove('s')
    rows.flush()
    t.same(rowsLeft(rows), [0, 0, 0, 0, 0])
  })
}

t.test('a stream of few groups is dropped at once', async t => {
  const rows = new MemoryRows()
  const keyspace = open(rows)
  keyspace.database(0).put('s', manyGroups(rows, 20, 50))
  rows.flush()
  keyspace.database(0).remove('s')
  t.equal(keyspace.lazyFreePending, 0)
  rows.flush()
  t.same(rowsLeft(rows), [0, 0, 0, 0, 0])
})

t.test(
  'groups that are in use when their stream goes are dropped in slices too, with what was not written yet',
  async t => {
    const rows = new MemoryRows()
    const keyspace = open(rows)
    const stream = manyGroups(rows, 250, 1)
    keyspace.database(0).put('s', stream)
    rows.flush()
    stream.createGroup('new', ID_MIN, 0).ensureConsumer('ann', 1)
    for (const group of stream.groups()) group.ensureConsumer('bob', 1)
    keyspace.database(0).remove('s')
    t.equal(keyspace.lazyFreePending, 1)
    rows.flush()
    let slices = 1
    while (keyspace.lazyFreeSome(50)) slices++
    t.ok(slices > 5)
    rows.flush()
    t.same(rowsLeft(rows), [0, 0, 0, 0, 0])
  },
)
