// Counters of INFO. Plain numbers, changed in place by the executor and the connections; CONFIG RESETSTAT clears them.
// Redis' names stand in commands/info.

import type { CommandStat, Stats } from '../commands/server.js'
import { LatencyHistogram } from './latency-histogram.js'

export class ServerStats implements Stats {
  connectionsReceived = 0
  commandsProcessed = 0
  netInputBytes = 0
  netOutputBytes = 0
  rejectedConnections = 0
  expiredKeys = 0
  expiredFields = 0
  evictedKeys = 0
  evictedClients = 0
  totalErrorReplies = 0
  unexpectedErrorReplies = 0
  readonly commands = new Map<string, RowStat>()
  readonly errors = new Map<string, number>()
  /** As `commands`, by TableRow.index, so that the hot path hashes no name. */
  #byIndex: (RowStat | undefined)[] = []
  /** Look-ups are counted where they happen, in the keyspace. */
  #lookups: { hits: number; misses: number } = { hits: 0, misses: 0 }

  get keyspaceHits(): number {
    return this.#lookups.hits
  }
  get keyspaceMisses(): number {
    return this.#lookups.misses
  }

  countLookupsOf(lookups: { hits: number; misses: number }): void {
    this.#lookups = lookups
  }

  /** The counters of a row; made at the first use, so that INFO lists only what was called. */
  of(index: number, name: string): RowStat {
    const known = this.#byIndex[index]
    if (known !== undefined) return known
    const fresh = new RowStat()
    this.#byIndex[index] = fresh
    this.commands.set(name, fresh)
    return fresh
  }

  /** Counts an error reply by its code: the first word of its text. */
  countError(text: string): void {
    this.totalErrorReplies++
    const space = text.indexOf(' ')
    const code = space < 0 ? text : text.slice(0, space)
    const count = this.errors.get(code)
    // A client can make up codes by redis.error_reply: beyond the limit unknown ones are only counted in the total.
    if (count === undefined && this.errors.size >= ERROR_CODES_MAX) return
    this.errors.set(code, (count ?? 0) + 1)
  }

  reset(): void {
    this.connectionsReceived = 0
    this.commandsProcessed = 0
    this.netInputBytes = 0
    this.netOutputBytes = 0
    this.rejectedConnections = 0
    this.expiredKeys = 0
    this.expiredFields = 0
    this.evictedKeys = 0
    this.evictedClients = 0
    this.#lookups.hits = 0
    this.#lookups.misses = 0
    this.totalErrorReplies = 0
    this.unexpectedErrorReplies = 0
    this.commands.clear()
    this.errors.clear()
    this.#byIndex = []
  }
}

const ERROR_CODES_MAX = 128

export class RowStat implements CommandStat {
  calls = 0
  usec = 0
  rejectedCalls = 0
  failedCalls = 0
  readonly histogram = new LatencyHistogram()
}
