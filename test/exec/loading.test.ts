import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { UsageError } from '../../src/base/errors.js'
import { silentLog } from '../../src/base/log.js'
import { Loading } from '../../src/exec/loading.js'

const SIZES = { directoryRows: 1000, directoryBytes: 4000, journalBytes: 6000 }

/** Steps that take `ms` each of a clock that stands still otherwise. */
function* steps(count: number, clock: FakeClock, ms: number, seen: number[] = []): Generator<void> {
  for (let i = 0; i < count; i++) {
    seen.push(i)
    clock.advance(ms)
    yield
  }
}

t.test('others have their turn between slices, and every step is run once', async t => {
  const clock = new FakeClock(0)
  const loading = new Loading(SIZES, clock, silentLog())
  const seen: number[] = []
  let turns = 0
  const timer = setInterval(() => undefined, 1000)
  const count = (): void => void (turns++, (turning = setImmediate(count)))
  let turning = setImmediate(count)
  await loading.run(steps(100, clock, 2, seen))
  clearImmediate(turning)
  clearInterval(timer)
  t.same(
    seen,
    Array.from({ length: 100 }, (_, i) => i),
  )
  t.ok(turns >= 10, `${turns} turns for 200 ms in slices of 10`)
})

t.test('progress is by bytes: of the directory by its rows, then of the journal', t => {
  const clock = new FakeClock(5_000)
  const loading = new Loading(SIZES, clock, silentLog())
  t.equal(loading.percent, 0)
  t.equal(loading.infoFields().loading_eta_seconds, 1, 'unknown yet')
  loading.keysLoaded(500)
  t.equal(loading.loadedBytes, 2000)
  loading.journalRead(1000)
  clock.advance(10_000)
  t.same(loading.infoFields(), {
    loading_start_time: 5,
    loading_total_bytes: 10_000,
    loading_rdb_used_mem: 0,
    loading_loaded_bytes: 5000,
    loading_loaded_perc: '50.00',
    loading_eta_seconds: 10,
  })
  loading.journalRead(999_999)
  t.equal(loading.percent, 100, 'never more than all')
  t.equal(new Loading({ directoryRows: 0, directoryBytes: 0, journalBytes: 0 }, clock, silentLog()).percent, 100)
  t.end()
})

t.test('a long load says in the log how far it is, once a second', async t => {
  const clock = new FakeClock(0)
  const notices: string[] = []
  const loading = new Loading(SIZES, clock, { ...silentLog(), notice: message => void notices.push(message) })
  loading.keysLoaded(1000)
  await loading.run(steps(48, clock, 100))
  t.equal(notices.length, 3, notices.join('\n'))
  t.match(notices[0], /^Loading: 40\.0% after 1\.6 s, 1000 keys/)
})

t.test('a step that fails ends it, and so does cancel(); the steps are told', async t => {
  const clock = new FakeClock(0)
  const failing = function* (): Generator<void> {
    yield
    throw new Error('damaged')
  }
  await t.rejects(new Loading(SIZES, clock, silentLog()).run(failing()), { message: 'damaged' })

  const loading = new Loading(SIZES, clock, silentLog())
  let ended = false
  const endless = function* (): Generator<void> {
    try {
      for (;;) {
        clock.advance(1)
        yield
      }
    } finally {
      ended = true
    }
  }
  const running = loading.run(endless())
  loading.cancel()
  await t.rejects(running, UsageError)
  t.ok(ended)
})
