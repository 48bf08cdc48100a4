// Commands that need rows which are not in memory: what they missed is fetched off the main thread while others are
// served, and then they are run again, from the beginning, since they had changed nothing. The client executes nothing
// else meanwhile. Used by: executor. Uses: store/page-misses (who throws).
//
// Invariants: (1) a command that is run again finds its client, rights and transaction as if it came just now; (2) what
// a given-up run counted is taken back; (3) after RUNS_MAX runs the command reads for itself, so that it ends.

import type { Request } from '../resp/request.js'
import { nameOf } from '../store/page-misses.js'
import type { PageMiss, RowRef } from '../store/page-misses.js'
import type { Keyspace } from '../types/keyspace.js'
import type { ClientSession } from './session.js'
import type { Tick } from './tick.js'

const RUNS_MAX = 32

/** A command that waits for rows. */
export interface ColdRead {
  /** Its own copy. */
  readonly request: Request
  readonly runs: number
  /** Names of the rows fetched for it. */
  readonly arrived: Set<string>
  /** They are there: the command can be run again. */
  ready: boolean
}

export interface ColdHost {
  readonly keyspace: Keyspace
  readonly tick: Tick
}

export class ColdReads {
  readonly #host: ColdHost
  /** Commands that wait at present. */
  waiting = 0
  #hits = 0
  #misses = 0

  constructor(host: ColdHost) {
    this.#host = host
  }

  /** A command of a client begins, which may be run again unless it answers nobody. */
  begin(session: ClientSession): void {
    const { cold } = session
    if (session.replyMode !== 'on' || (cold !== undefined && cold.runs >= RUNS_MAX)) return
    const { keyspace } = this.#host
    this.#hits = keyspace.hits
    this.#misses = keyspace.misses
    keyspace.rows.misses.arm(cold?.arrived)
  }

  /** The command has missed something: it waits, and nothing of this run counts. */
  missed(session: ClientSession, request: Request, miss: PageMiss, position: number): void {
    const { keyspace } = this.#host
    keyspace.hits = this.#hits
    keyspace.misses = this.#misses
    session.reply.truncate(position)
    const before = session.cold
    const cold: ColdRead = {
      request: before?.request ?? request.detach(),
      runs: (before?.runs ?? 0) + 1,
      arrived: before?.arrived ?? new Set(),
      ready: false,
    }
    session.cold = cold
    this.waiting++
    void keyspace.rows.fetch(miss.rows).then(() => this.#arrived(session, cold, miss.rows))
  }

  #arrived(session: ClientSession, cold: ColdRead, rows: readonly RowRef[]): void {
    this.waiting--
    if (session.cold !== cold) return
    for (const row of rows) cold.arrived.add(nameOf(row))
    cold.ready = true
    this.#host.tick.resume(session)
  }
}
