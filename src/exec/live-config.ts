// What a changed option means to whom: passes configuration on to the parts, at the start and whenever CONFIG SET
// changes it. Used by: server.ts, which builds the parts.

import type { Config } from '../base/config.js'
import type { Log } from '../base/log.js'
import { JOURNALED_LIMITS } from '../commands/node-limits.js'
import type { AclUsers } from '../commands/acl-users.js'
import type { Store } from '../store/store.js'
import type { Executor } from './executor.js'
import type { ExpireCycle } from './expire-cycle.js'
import type { Latency } from './latency.js'
import type { NodeLimitsJournal } from './node-limits-journal.js'
import type { OutputLimits } from './output-limits.js'
import type { SlowlogList } from './slowlog.js'
import type { ParserLimits } from './transport.js'

export interface ConfiguredParts {
  readonly config: Config
  readonly log: Log
  readonly executor: Executor
  readonly users: AclUsers
  readonly slowlog: SlowlogList
  readonly latency: Latency
  readonly scripts: { thresholdMs: number }
  readonly outputLimits: OutputLimits
  readonly expireCycle: ExpireCycle
  readonly nodeLimits: NodeLimitsJournal
  readonly setParserLimits: (limits: Partial<ParserLimits>) => void
  /** The present one: a reload opens another. */
  readonly store: () => Store
}

export function followConfig(parts: ConfiguredParts): void {
  const { config, executor, slowlog, latency, scripts, users } = parts
  const { values } = config
  slowlog.slowerThanUs = values.slowlogLogSlowerThan
  slowlog.lengthMax = values.slowlogMaxLen
  latency.thresholdMs = values.latencyMonitorThreshold
  executor.accounting.trackLatency = values.latencyTracking
  executor.publishEvents(values.notifyKeyspaceEvents)
  executor.passwordRequired = users.passwordRequired
  users.onDefaultChange = () => (executor.passwordRequired = users.passwordRequired)
  scripts.thresholdMs = values.busyReplyThreshold
  config.onChange('slowlog-log-slower-than', us => (slowlog.slowerThanUs = us))
  config.onChange('slowlog-max-len', length => (slowlog.lengthMax = length))
  config.onChange('latency-monitor-threshold', ms => (latency.thresholdMs = ms))
  config.onChange('latency-tracking', on => (executor.accounting.trackLatency = on))
  config.onChange('notify-keyspace-events', letters => executor.publishEvents(letters))
  config.onChange('client-output-buffer-limit', limits => (parts.outputLimits.limits = limits))
  config.onChange('proto-max-bulk-len', bytes => parts.setParserLimits({ bulkBytesMax: bytes }))
  config.onChange('client-query-buffer-limit', bytes => parts.setParserLimits({ queryBytesMax: bytes }))
  config.onChange('busy-reply-threshold', ms => (scripts.thresholdMs = ms))
  config.onChange('loglevel', level => (parts.log.level = level))
  config.onChange('hz', hz => (parts.expireCycle.roundsPerSecond = hz))
  config.onChange('active-expire-effort', effort => (parts.expireCycle.effort = effort))
  for (const name of JOURNALED_LIMITS) config.onChange(name, () => parts.nodeLimits.makeDue())
  followStoreConfig(parts)
}

function followStoreConfig({ config, store }: ConfiguredParts): void {
  config.onChange('appendfsync', policy => (store().fsync = policy))
  config.onChange('page-cache-bytes', bytes => (store().cache.bytesMax = bytes))
  config.onChange('checkpoint-interval', seconds => (store().triggers.intervalMs = seconds * 1000))
  config.onChange('checkpoint-replay-records', records => (store().triggers.replayRecords = records))
  config.onChange('journal-max-bytes', bytes => (store().triggers.journalBytes = bytes))
}
