import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { Config } from '../../src/base/config.js'
import { silentLog } from '../../src/base/log.js'
import { openStore } from '../../src/exec/open-store.js'
import { tempDir } from '../support/temp-dir.js'

t.test('the store does what the configuration says', async t => {
  const config = new Config({
    dir: tempDir(t),
    appendfsync: 'no',
    pageCacheBytes: 5_000_000,
    checkpointInterval: 7,
    journalMaxBytes: 3_000_000,
    checkpointReplayRecords: 11,
  })
  const store = openStore(config, { log: silentLog(), clock: new FakeClock(1) }, 4000)
  t.teardown(() => store.close())
  t.same(store.triggers, { intervalMs: 7000, dirtyBytes: 4000, journalBytes: 3_000_000, replayRecords: 11 })
  t.equal(store.fsync, 'no')
})
