// Bringing the data back, a little in each step: the key directory, then the journal's effects run again. Used by:
// server.ts, at a start (loading.ts drives it between the turns of the event loop) and for DEBUG RELOAD (at once).

import type { Clock } from '../base/clock.js'
import type { Config } from '../base/config.js'
import { journaledLimits, setLimits } from '../commands/node-limits.js'
import type { Store } from '../store/store.js'
import type { Keyspace } from '../types/keyspace.js'
import type { Executor } from './executor.js'
import type { Loading } from './loading.js'
import { NO_TRANSPORT } from './no-transport.js'
import { Replay } from './replay.js'
import { ClientSession } from './session.js'

export interface RecoveredParts {
  readonly store: Store
  readonly keyspace: Keyspace
  readonly executor: Executor
  readonly config: Config
  readonly clock: Clock
}

/** Returns the number of journal records that were run again. @throws CorruptionError, UsageError */
export function* recoverySteps(parts: RecoveredParts, loading?: Loading): Generator<void, number, undefined> {
  const { store, keyspace, executor, config } = parts
  // Nothing expires before the journal is open: its DEL would have nowhere to go.
  keyspace.replaying = true
  for (const keys of keyspace.loading()) yield loading?.keysLoaded(keys)
  const limits = journaledLimits(config.values)
  const session = new ClientSession(0, NO_TRANSPORT, executor)
  const replay = new Replay(executor.replayContext(), executor.table, keyspace, session)
  let records: number
  try {
    const steps = store.replaying(record => replay.run(record))
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) yield loading?.journalRead(step.value)
    records = step.value
  } finally {
    replay.end()
    // The journal had those of the time.
    setLimits(config, limits)
  }
  keyspace.nowMs = parts.clock.nowMs()
  return records
}
