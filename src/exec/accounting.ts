// What the running of a command leaves in the counters of INFO, in LATENCY and in SLOWLOG. Used by: executor.

import { Flag } from '../commands/spec.js'
import type { TableRow } from '../commands/table.js'
import type { Request } from '../resp/request.js'
import type { WaitingCommand } from './blocked-clients.js'
import type { Latency } from './latency.js'
import type { ClientSession } from './session.js'
import type { SlowlogList } from './slowlog.js'
import type { ServerStats } from './stats.js'

export class Accounting {
  /** latency-tracking. */
  trackLatency = true
  readonly #stats: ServerStats
  readonly #slowlog: SlowlogList
  readonly #latency: Latency

  constructor(stats: ServerStats, slowlog: SlowlogList, latency: Latency) {
    this.#stats = stats
    this.#slowlog = slowlog
    this.#latency = latency
  }

  called(row: TableRow, us: number, failed: boolean): void {
    const stat = this.#stats.of(row.index, row.name)
    this.#stats.commandsProcessed++
    stat.calls++
    stat.usec += us
    if (this.trackLatency) stat.histogram.record(us)
    if (failed) stat.failedCalls++
  }

  /** The second half of a command that waited; its call was counted when it began. */
  served(session: ClientSession, command: WaitingCommand, us: number, failed: boolean, nowMs: number): void {
    const { row, request } = command
    const stat = this.#stats.of(row.index, row.name)
    stat.usec += us
    if (failed) stat.failedCalls++
    this.noteIfSlow(row, session, request, command.us + us, nowMs)
  }

  noteIfSlow(row: TableRow, session: ClientSession, request: Request, us: number, nowMs: number): void {
    if (this.#latency.thresholdMs !== 0) {
      const event = (row.flags & Flag.Fast) !== 0 ? 'fast-command' : 'command'
      this.#latency.sample(event, us / 1000, nowMs)
    }
    const { slowerThanUs } = this.#slowlog
    if (us < slowerThanUs || slowerThanUs < 0 || (row.flags & Flag.SkipSlowlog) !== 0) return
    this.#slowlog.add(request, us, nowMs, session, row.spec.secrets?.(request))
  }
}
