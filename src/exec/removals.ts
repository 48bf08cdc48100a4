// Keys and fields that go without a command that names them: their time has come, or memory is short. Each becomes an
// effect of its own in the journal, and is told to whoever watches. Used by: executor, eviction.

import type { Database } from '../types/keyspace.js'
import type { ExecContext } from './context.js'
import type { ServerStats } from './stats.js'

/** What this needs of the executor. */
export interface RemovalHost {
  readonly context: ExecContext
  /** A command is running, whose record takes the effect. */
  readonly running: boolean
}

export class Removals {
  readonly #host: RemovalHost
  readonly #stats: ServerStats

  constructor(host: RemovalHost, stats: ServerStats) {
    this.#host = host
    this.#stats = stats
  }

  expired(db: Database, key: string): void {
    this.#stats.expiredKeys++
    const { context, running } = this.#host
    context.sideEffect(db.index, ['DEL', key])
    context.expired(key, db)
    context.notify('x', 'expired', key, db)
    if (!running) context.closeRecord()
  }

  fieldsExpired(db: Database, key: string, fields: readonly string[], emptied: boolean): void {
    this.#stats.expiredFields += fields.length
    const { context, running } = this.#host
    context.sideEffect(db.index, ['HDEL', key, ...fields])
    context.touchedByNobody(key, db)
    context.notify('h', 'hexpired', key, db)
    if (emptied) context.notify('g', 'del', key, db)
    if (!running) context.closeRecord()
  }

  /** Removes a key for want of memory; in background(). */
  evict(db: Database, key: string, how: 'DEL' | 'UNLINK'): void {
    this.#stats.evictedKeys++
    const { context } = this.#host
    db.remove(key)
    context.sideEffect(db.index, [how, key])
    context.touchedByNobody(key, db)
    context.notify('e', 'evicted', key, db)
  }
}
