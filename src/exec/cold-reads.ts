// Commands that need rows which are not in memory: what they missed is fetched off the main thread while others are
// served, brought into the page cache in shares of the turns that follow, and then they are run again, from the
// beginning, since they had changed nothing. The client executes nothing else meanwhile. Used by: executor. Uses:
// store/page-misses (who throws), turn-shares.
//
// Invariants: (1) a command that is run again finds its client, rights and transaction as if it came just now; (2) what
// a given-up run counted is taken back; (3) after RUNS_MAX runs the command reads for itself, so that it ends.

import { CorruptionError } from '../base/errors.js'
import type { Request } from '../resp/request.js'
import { nameOf } from '../store/page-misses.js'
import type { PageMiss, RowRef } from '../store/page-misses.js'
import type { Keyspace } from '../types/keyspace.js'
import type { ClientSession } from './session.js'
import type { TurnShares } from './turn-shares.js'

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
  readonly shares: TurnShares
  /** Data are being closed and opened again: nothing is read. */
  readonly held: boolean
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
    const { keyspace, shares } = this.#host
    keyspace.hits = this.#hits
    keyspace.misses = this.#misses
    session.reply.truncate(position)
    const before = session.cold
    const cold: ColdRead = {
      request: before?.request ?? request.detach(),
      // One that rests gets on each time.
      runs: (before?.runs ?? 0) + (miss.rows.length > 0 ? 1 : 0),
      arrived: before?.arrived ?? new Set(),
      ready: false,
    }
    session.cold = cold
    this.waiting++
    const arrival = new Arrival(this.#host, session, cold, miss.rows, () => this.waiting--)
    if (miss.atOnce) shares.add(arrival.work)
    else void keyspace.rows.fetch(miss.rows).then(() => shares.add(arrival.work))
  }
}

/** Rows that can be read without waiting for the disk, and the command that waits for them. */
class Arrival {
  /** In the keyspace of that time. */
  readonly #rows: unknown
  #next = 0

  constructor(
    readonly host: ColdHost,
    readonly session: ClientSession,
    readonly cold: ColdRead,
    readonly refs: readonly RowRef[],
    readonly onEnd: () => void,
  ) {
    this.#rows = host.keyspace.rows
  }

  readonly work = (isOver: () => boolean): void => {
    const { session, cold, refs, host } = this
    if (session.cold !== cold) return this.onEnd()
    while (this.#next < refs.length && !host.held && host.keyspace.rows === this.#rows) {
      load(refs[this.#next++])
      if (isOver()) return host.shares.add(this.work)
    }
    for (const row of refs) cold.arrived.add(nameOf(row))
    cold.ready = true
    this.onEnd()
    session.goOn()
  }
}

function load(row: RowRef): void {
  try {
    row.load?.()
  } catch (error) {
    // The command meets it as well, and is refused.
    if (!(error instanceof CorruptionError)) throw error
  }
}
