import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { CorruptionError } from '../../src/base/errors.js'
import { idKey, numberedKey, StoreObject, Table } from '../../src/store/row.js'
import type { Store } from '../../src/store/store.js'
import { segmentsIn, temporaryFolder, until } from './journal-fixture.js'
import { committedTick, NumberRow, numberIn, openStore } from './store-fixture.js'

t.test('a checkpoint makes touched rows readable, after a restart as well, and deletes the journal', async t => {
  const folder = temporaryFolder(t)
  const store = openStore(folder)
  const object = new StoreObject(store.newId())
  const row = new NumberRow(Table.Heads, idKey(object.id), object, 7)
  const page = new NumberRow(Table.Pages, numberedKey(store.newId(), 3), object, 8, 20_000)
  store.begin(1)
  store.touch(row)
  store.touch(page)
  store.addArguments(0, ['SET', 'a', '7'])
  store.end()
  await committedTick(store)
  t.equal(store.changesSinceCheckpoint, 1)
  await store.checkpoint()
  t.equal(numberIn(store.read(Table.Heads, row.key)), 7)
  t.same(store.read(Table.Pages, page.key), page.encodeRow())
  await until(() => row.cleaned === 1)
  t.equal(row.dirtyEpoch, 0)
  t.same(segmentsIn(join(folder, 'journal')), [])
  t.match(store.figures(), { dirtyRows: 0, dirtyBytes: 0, journalSegments: 0, checkpoints: 1, lastCheckpointOk: 1 })
  t.equal(store.changesSinceCheckpoint, 0)
  await store.close()
  const again = openStore(folder, { replay: false })
  t.equal(
    again.replay(() => t.fail('nothing to replay')),
    0,
  )
  t.equal(numberIn(again.read(Table.Heads, row.key)), 7)
  t.same(
    [...again.scan(Table.Pages, idKey(2))].map(({ key }) => key),
    [page.key],
  )
  t.equal(again.newId(), 3, 'ids are not given out twice')
  await again.close()
})

t.test('what was recorded after the checkpoint is replayed after a kill', async t => {
  const folder = temporaryFolder(t)
  const store = openStore(folder)
  for (const text of ['a', 'b']) {
    store.begin(5)
    store.addArguments(2, ['SET', 'key', text])
    store.end()
    await committedTick(store)
    if (text === 'a') await store.checkpoint()
  }
  const killed = temporaryFolder(t)
  cpSync(folder, killed, { recursive: true })
  await store.close()
  const again = openStore(killed, { replay: false })
  const seen: string[] = []
  again.replay(({ nowMs, effects }) => seen.push(`${nowMs} ${effects[0].database} ${effects[0].bytes.toString()}`))
  t.same(seen, ['5 2 *3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$1\r\nb\r\n'])
  await again.close()
})

t.test('the cut is consistent while rows change under the encoding checkpoint', async t => {
  const folder = temporaryFolder(t)
  const store = openStore(folder)
  const object = new StoreObject(store.newId())
  const tree = store.newId()
  const rows = Array.from({ length: 400 }, (_, i) => new NumberRow(Table.Pages, numberedKey(tree, i), object, 0, 8000))
  const write = (value: number, only = rows): void => {
    for (const row of only) {
      store.touch(row)
      row.value = value
    }
  }
  write(1)
  let over = false
  const checkpoint = store.checkpoint().then(() => (over = true))
  await until(() => store.checkpointRunning)
  let value = 2
  while (!over) {
    write(
      value++,
      rows.filter((_, i) => (i + value) % 3 === 0),
    )
    await new Promise(resolve => setImmediate(resolve))
  }
  await checkpoint
  t.ok(value > 3, `${value - 2} rounds of change while the checkpoint ran`)
  t.same([...new Set([...store.scan(Table.Pages, idKey(tree))].map(row => numberIn(row.value)))], [1])
  const expected = rows.map(row => row.value)
  await store.checkpoint()
  t.same(
    [...store.scan(Table.Pages, idKey(tree))].map(row => numberIn(row.value)),
    expected,
  )
  await store.close()
})

t.test(
  'a removed row and its successor under the same key: the later one wins, in whatever order they are encoded',
  async t => {
    const store = openStore(temporaryFolder(t))
    const key = idKey(1)
    const old = new NumberRow(Table.Heads, key, undefined, 1)
    const next = new NumberRow(Table.Heads, key, undefined, 2)
    const filling = Array.from(
      { length: 100 },
      (_, i) => new NumberRow(Table.Heads, idKey(100 + i), undefined, 0, 50_000),
    )
    for (const row of filling) store.touch(row)
    store.touch(old)
    old.removed = true
    store.touch(next)
    const checkpoint = store.checkpoint()
    await until(() => store.checkpointRunning)
    store.touch(next)
    next.value = 3
    store.touch(old)
    await checkpoint
    t.equal(numberIn(store.read(Table.Heads, key)), 2)
    await store.close()
  },
)

t.test('rows of an object dropped before the cut are skipped, of one dropped after it still written', async t => {
  const store = openStore(temporaryFolder(t))
  const [before, after] = [new StoreObject(store.newId()), new StoreObject(store.newId())]
  const rows = [before, after].map(object => new NumberRow(Table.Heads, idKey(object.id), object, object.id))
  for (const row of rows) store.touch(row)
  store.drop(before, [])
  const checkpoint = store.checkpoint()
  await until(() => store.checkpointRunning)
  store.drop(after, [])
  await checkpoint
  t.equal(store.read(Table.Heads, rows[0].key), undefined)
  t.equal(numberIn(store.read(Table.Heads, rows[1].key)), 2)
  await store.close()
})

t.test('a failed checkpoint loses nothing: rows stay dirty, the journal stays, the next one has it all', async t => {
  const store = openStore(temporaryFolder(t))
  const rows = Array.from({ length: 40 }, (_, i) => new NumberRow(Table.Heads, idKey(i + 1), undefined, i, 60_000))
  // LMDB takes no key of that length: the writer fails after it has written some packs.
  const impossible = new NumberRow(Table.Heads, Buffer.alloc(3000, 1), undefined, 1)
  store.begin(1)
  for (const row of [...rows, impossible]) store.touch(row)
  store.addArguments(0, ['SET', 'a', 'b'])
  store.end()
  await committedTick(store)
  await t.rejects(store.checkpoint(), /^The checkpoint failed: .*/)
  t.equal(store.lastCheckpointOk, false)
  t.equal(store.figures().dirtyRows, 41)
  t.equal(store.figures().journalSegments, 1)
  t.equal(rows[0].cleaned, 0)
  t.equal(store.read(Table.Heads, idKey(1)), undefined)
  impossible.key = idKey(99)
  await store.checkpoint()
  t.equal(store.lastCheckpointOk, true)
  t.equal(store.figures().journalSegments, 0)
  t.equal(numberIn(store.read(Table.Heads, idKey(40))), 39)
  t.equal(numberIn(store.read(Table.Heads, idKey(99))), 1)
  await store.close()
})

t.test('damage in the store is found and named', async t => {
  const folder = temporaryFolder(t)
  const store = openStore(folder)
  const row = new NumberRow(Table.Heads, idKey(0xabcdef), undefined, 0x31323334, 100)
  store.touch(row)
  await store.checkpoint()
  await store.close()
  const file = join(folder, 'store', 'data.mdb')
  const bytes = readFileSync(file)
  const at = bytes.indexOf('1234')
  t.ok(at > 0)
  for (let i = at; i >= 0; i = bytes.indexOf('1234', i + 1)) bytes[i] ^= 1
  writeFileSync(file, bytes)
  const again = openStore(folder)
  t.throws(
    () => again.read(Table.Heads, row.key),
    new CorruptionError('The checksum of row 000000abcdef of table heads does not hold: the store is damaged there.'),
  )
  await again.close()
})

/** Commits one record that touches `row`. */
async function recordChange(store: Store, row: NumberRow): Promise<void> {
  store.begin(1)
  store.touch(row)
  store.addArguments(0, ['SET', 'key', 'value'])
  store.end()
  await committedTick(store)
}

t.test('a wall clock that is set back puts no checkpoint off', async t => {
  const clock = new FakeClock(1_000_000_000)
  const store = openStore(temporaryFolder(t), { clock })
  t.teardown(() => store.close())
  Object.assign(store.triggers, { intervalMs: 0, dirtyBytes: 0, journalBytes: 0, replayRecords: 60 })
  const row = new NumberRow(Table.Heads, idKey(1), undefined, 0)
  clock.step(-86_400_000)
  clock.advance(1000)
  for (let i = 0; i < 61; i++) await recordChange(store, row)
  await until(() => store.figures().checkpoints === 1 && !store.checkpointRunning)
  store.triggers.replayRecords = 0
  store.triggers.intervalMs = 5000
  clock.step(-86_400_000)
  await recordChange(store, row)
  t.equal(store.figures().checkpoints, 1)
  clock.advance(5000)
  await until(() => store.figures().checkpoints === 2)
})

t.test('a checkpoint starts when replaying would cost much more than writing it', async t => {
  const clock = new FakeClock(1_000_000)
  const store = openStore(temporaryFolder(t), { clock })
  t.teardown(() => store.close())
  Object.assign(store.triggers, { intervalMs: 0, dirtyBytes: 0, journalBytes: 0, replayRecords: 90 })
  const rows = Array.from({ length: 4 }, (_, i) => new NumberRow(Table.Heads, idKey(i + 1), undefined, i))
  for (let i = 0; i < 239; i++) await recordChange(store, rows[i % 4])
  t.notOk(store.checkpointRunning, 'not enough records for so many rows')
  await recordChange(store, rows[0])
  t.notOk(store.checkpointRunning, 'too soon after the one before, which is the start')
  clock.advance(1000)
  await recordChange(store, rows[0])
  await until(() => store.figures().checkpoints === 1 && !store.checkpointRunning)
  t.equal(store.changesSinceCheckpoint, 0)
  clock.advance(1000)
  for (let i = 0; i < 89; i++) await recordChange(store, rows[0])
  t.notOk(store.checkpointRunning, 'not enough records')
  store.triggers.replayRecords = 0
  for (let i = 0; i < 240; i++) await recordChange(store, rows[0])
  t.notOk(store.checkpointRunning, 'never')
})

t.test('rows that much is recorded for are written at a quarter of the bytes, small ones are not', async t => {
  const store = openStore(temporaryFolder(t))
  t.teardown(() => store.close())
  Object.assign(store.triggers, { intervalMs: 0, dirtyBytes: 400_000, journalBytes: 0 })
  const change = async (row: NumberRow, valueBytes: number): Promise<void> => {
    store.begin(1)
    store.touch(row)
    store.addArguments(0, ['SET', 'key', Buffer.alloc(valueBytes)])
    store.end()
    await committedTick(store)
  }
  const rows = Array.from({ length: 40 }, (_, i) => new NumberRow(Table.Heads, idKey(i + 1), undefined, i))
  for (const row of rows) await change(row, 4000)
  t.notOk(store.checkpointRunning, '160,000 bytes in rows that are likely to be written again')
  await store.checkpoint()
  await until(() => !store.checkpointRunning)
  for (const row of rows.slice(0, 9)) await change(row, 10_000)
  t.notOk(store.checkpointRunning, 'not a quarter yet')
  for (const row of rows.slice(9, 11)) await change(row, 10_000)
  await until(() => store.figures().checkpoints === 2)
  t.notOk(store.checkpointRunning)
})

t.test('what rows grow by after their first touch counts as dirty', async t => {
  const store = openStore(temporaryFolder(t))
  t.teardown(() => store.close())
  Object.assign(store.triggers, { intervalMs: 0, dirtyBytes: 4000, journalBytes: 0 })
  const row = new NumberRow(Table.Heads, idKey(1), undefined, 1)
  let records = 0
  while (!store.checkpointRunning && records < 1000) {
    await recordChange(store, row)
    records++
  }
  t.ok(records > 20 && records < 100, `after ${records} records of some 70 bytes`)
  await until(() => !store.checkpointRunning)
  t.equal(store.figures().checkpoints, 1)
})
