import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { Checkpoints } from '../../src/store/checkpoint.js'
import type { CheckpointHost, ExtraRow } from '../../src/store/checkpoint.js'
import type { CheckpointThread } from '../../src/store/checkpoint-thread.js'
import type { WriterReply } from '../../src/store/checkpoint-writer.js'
import { DirtyRows } from '../../src/store/dirty-rows.js'
import type { Reclaimed } from '../../src/store/retirement.js'
import { readPack } from '../../src/store/row-pack.js'
import type { Pack } from '../../src/store/row-pack.js'
import { idKey, Table } from '../../src/store/row.js'
import { until } from './journal-fixture.js'
import { NumberRow } from './store-fixture.js'

/** A writer whose runs end when the test says so. */
class FakeThread {
  isBehind = false
  /** What each run was told at last; undefined while it goes on. */
  readonly ends: (string | undefined)[] = []
  /** Rows sent in each run. */
  readonly rows: number[] = []
  #finish: ((reply: WriterReply) => void) | undefined

  spareMemory(): undefined {}

  begin(): Promise<WriterReply> {
    this.ends.push(undefined)
    this.rows.push(0)
    return new Promise(resolve => (this.#finish = resolve))
  }
  send(pack: Pack | undefined, next: string): void {
    const run = this.ends.length - 1
    if (pack !== undefined) readPack(pack, () => void this.rows[run]++)
    if (next !== 'more') this.ends[run] = next
  }
  over(failure?: string, ids = 0): void {
    this.#finish!({ run: this.ends.length, failure, reclaimed: { rows: ids, ids } })
  }
}

class FakeHost implements CheckpointHost {
  readonly events: string[] = []
  readonly works = new Set<string>()
  mayCut = true
  retired = 0
  cleanings = 0
  constructor(readonly dirty: DirtyRows) {}
  canCut(): boolean {
    return this.mayCut
  }
  hasNews(): boolean {
    return this.dirty.count > 0
  }
  retiredIds(): number {
    return this.retired
  }
  onCut(): readonly ExtraRow[] {
    this.events.push('cut')
    return [{ table: Table.Meta, key: Buffer.from('store'), value: Buffer.alloc(4) }]
  }
  onCommitted(): void {
    this.events.push('committed')
  }
  onCleaned(): void {
    this.cleanings++
  }
  onReclaimed({ ids }: Reclaimed): void {
    this.retired -= ids
  }
  onFailed(): void {
    this.events.push('failed')
  }
  took(what: string): void {
    this.works.add(what)
  }
}

function setUp(t: { teardown(fn: () => void): void }) {
  const thread = new FakeThread()
  const dirty = new DirtyRows()
  const warnings: string[] = []
  const host = new FakeHost(dirty)
  const log = { ...silentLog(), warning: (message: string) => void warnings.push(message) }
  const clock = new FakeClock(5000)
  const checkpoints = new Checkpoints(host, dirty, thread as unknown as CheckpointThread, clock, log)
  t.teardown(() => checkpoints.close())
  let id = 0
  const change = () => {
    const row = new NumberRow(Table.Heads, idKey(++id), undefined, id)
    dirty.touch(row)
    return row
  }
  /** Waits until the run has been sent everything. */
  const sent = (run: number) => until(() => thread.ends[run - 1] !== undefined)
  return { thread, dirty, host, checkpoints, clock, warnings, change, sent }
}

t.test('a run sends the position and all dirty rows, and ends when they are clean', async t => {
  const { thread, host, checkpoints, clock, change, sent } = setUp(t)
  const row = change()
  const requested = checkpoints.request()
  await sent(1)
  t.same([thread.rows, thread.ends], [[2], ['commit']])
  t.match(checkpoints, { running: true, completed: 0, bytesHeld: 4 })
  clock.advance(3000)
  thread.over()
  await requested
  t.same(host.events, ['cut', 'committed'])
  t.ok(host.cleanings > 0, 'the cache is told that rows became clean')
  t.match(checkpoints, { completed: 1, lastOk: true, lastMs: 8000, lastSeconds: 3 })
  await until(() => !checkpoints.running)
  t.equal(row.cleaned, 1)
  t.equal(checkpoints.bytesHeld, 0)
  t.same([...host.works], ['checkpoint-cut', 'checkpoint-slice'], 'what it took is told')
})

t.test('where ticks are long a slice is longer, so that a checkpoint keeps up with those who write', async t => {
  const turnsWith = async (tickMs: number) => {
    const { thread, checkpoints, change, clock } = setUp(t)
    const read = clock.monotonicUs.bind(clock)
    clock.monotonicUs = () => {
      clock.advance(1) // so long take the rows between two looks
      return read()
    }
    for (let i = 0; i < 6000; i++) change()
    void checkpoints.request()
    let turns = 0
    for (; thread.ends[0] === undefined; turns++) {
      await new Promise(resolve => setImmediate(resolve))
      clock.advance(tickMs)
    }
    t.equal(thread.rows[0], 6001)
    return turns
  }
  const [idle, busy, overrun] = [await turnsWith(0), await turnsWith(20), await turnsWith(10_000)]
  t.ok(busy * 2 <= idle + 4, `${idle} turns when idle, ${busy} beside ticks of 20 ms`)
  t.ok(overrun * 6 < idle && overrun * 14 > idle, `${overrun} beside endless ones: a slice has its limit`)
})

t.test('what takes long is done in slices: many rows beside the dirty ones, and many that become clean', async t => {
  const { thread, host, checkpoints, change, clock } = setUp(t)
  const read = clock.monotonicUs.bind(clock)
  // A look at the clock is the end of a slice.
  clock.monotonicUs = () => {
    clock.advance(1)
    return read()
  }
  for (let i = 0; i < 2000; i++) change()
  const extra = (id: number) => ({ table: Table.Retired, key: idKey(id), value: Buffer.of(1) })
  host.onCut = () => Array.from({ length: 5000 }, (_, i) => extra(i + 1))
  void checkpoints.request()
  await new Promise(resolve => setImmediate(resolve))
  let turns = 0
  while (thread.ends[0] === undefined) {
    turns++
    await new Promise(resolve => setImmediate(resolve))
  }
  t.equal(thread.rows[0], 7000)
  t.ok(turns > 50, `${turns} turns for others`)
  thread.over()
  await until(() => !checkpoints.running)
  t.ok(host.cleanings > 3, `${host.cleanings} slices of cleaning`)
})

t.test('without news a request is answered without a run', async t => {
  const { thread, checkpoints } = setUp(t)
  await checkpoints.request()
  t.same(thread.ends, [])
})

t.test('no cut is made inside a tick', async t => {
  const { host, checkpoints, change } = setUp(t)
  change()
  host.mayCut = false
  checkpoints.want()
  checkpoints.startIfWanted()
  t.same(host.events, [])
  host.mayCut = true
  checkpoints.startIfWanted()
  t.same(host.events, ['cut'])
})

t.test('a request made during a run is for the next one; join() takes the running one', async t => {
  const { thread, checkpoints, change, sent } = setUp(t)
  const over: string[] = []
  change()
  void checkpoints.request().then(() => over.push('first'))
  await sent(1)
  void checkpoints.join().then(() => over.push('joined'))
  change()
  void checkpoints.request().then(() => over.push('second'))
  thread.over()
  await sent(2)
  t.same(over, ['first', 'joined'])
  thread.over()
  await until(() => over.length === 3)
  t.same(over, ['first', 'joined', 'second'])
})

t.test('the encoding rests while the writer is behind', async t => {
  const { thread, checkpoints, change, sent } = setUp(t)
  change()
  thread.isBehind = true
  checkpoints.want()
  checkpoints.startIfWanted()
  await new Promise(resolve => setTimeout(resolve, 10))
  t.same(thread.ends, [undefined])
  thread.isBehind = false
  await sent(1)
  t.same(thread.ends, ['commit'])
})

t.test('a failed run gives its rows back, says why, and is tried again by whoever asks', async t => {
  const { thread, dirty, host, checkpoints, warnings, change, sent } = setUp(t)
  change()
  const requested = checkpoints.request()
  await sent(1)
  thread.over('the disk is full')
  await t.rejects(requested, new Error('The checkpoint failed: the disk is full'))
  t.match(checkpoints, { running: false, lastOk: false, completed: 0 })
  t.same(host.events, ['cut', 'failed'])
  t.equal(dirty.count, 1)
  t.same(warnings, ['The checkpoint failed: the disk is full. The journal is kept, and another is tried later.'])
  const again = checkpoints.request()
  await sent(2)
  t.equal(thread.rows[1], 2)
  thread.over()
  await again
  t.equal(checkpoints.lastOk, true)
})

t.test('a row that cannot be encoded ends the run and is our defect', async t => {
  const { thread, dirty, checkpoints, change } = setUp(t)
  dirty.touch(
    new (class extends NumberRow {
      override encodeRow(): Buffer {
        throw new TypeError('a defect')
      }
    })(Table.Heads, idKey(99), undefined, 1),
  )
  change()
  const caught = new Promise(resolve => process.once('uncaughtException', resolve))
  checkpoints.want()
  checkpoints.startIfWanted()
  t.match(await caught, { message: 'a defect' })
  t.same(thread.ends, ['abort'], 'the writer does not wait for ever')
})

t.test('while ids are retired, runs without a cut follow until none is left', async t => {
  const { thread, host, checkpoints, change, sent } = setUp(t)
  change()
  host.retired = 3
  checkpoints.want()
  checkpoints.startIfWanted()
  for (const [run, ids] of [
    [1, 1],
    [2, 0],
    [3, 2],
  ]) {
    await sent(run)
    thread.over(undefined, ids)
  }
  await until(() => !checkpoints.running)
  t.same(
    [thread.rows, thread.ends],
    [
      [2, 0, 0],
      ['commit', 'commit', 'commit'],
    ],
  )
  t.match(checkpoints, { completed: 1 }, 'they are no checkpoints')
  t.same(host.events, ['cut', 'committed'])
})

t.test('after the end requests are refused and no run begins', async t => {
  const { thread, checkpoints, change } = setUp(t)
  change()
  const requested = checkpoints.request()
  checkpoints.close()
  await t.rejects(requested, new Error('the store is closed'))
  checkpoints.want()
  checkpoints.startIfWanted()
  t.same(thread.ends, [])
})
