// Whether a command may run now: why it may not at all, in Redis' order of checks, and whether it must wait. Used by:
// executor, which looks up the row and does what is said here.

import { replyErrors } from '../base/errors.js'
import { denialText, logDenial } from '../commands/acl-log.js'
import type { Server } from '../commands/server.js'
import { Flag } from '../commands/spec.js'
import type { TableRow } from '../commands/table.js'
import type { Request } from '../resp/request.js'
import type { Pause } from './pause.js'
import type { ClientSession } from './session.js'

/** What the checks depend on beside the client and the row. */
export interface AdmissionState {
  readonly server: Server
  readonly pause: Pause
  /** See Executor. */
  readonly loading: boolean
  readonly held: boolean
  readonly memory: { readonly bytesMax: number; makeRoom(): boolean }
  readonly passwordRequired: boolean
}

const NOT_AUTHENTICATED = 'NOAUTH Authentication required.'
export const LOADING = 'LOADING Redis is loading the dataset in memory'
const OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'."
const NOT_IN_MULTI = 'ERR Command not allowed inside a transaction'
export const NO_REPLICAS = 'NOREPLICAS Not enough good replicas to write.'
/** Redis counts a client in MONITOR among its replicas. */
const NOT_FOR_FOLLOWERS = "ERR Replica can't interact with the keyspace"

const TOUCHES_KEYS = Flag.Write | Flag.ReadOnly | Flag.MayReplicate

export class Admission {
  readonly #state: AdmissionState
  readonly #execRow: TableRow | undefined

  constructor(state: AdmissionState, execRow: TableRow | undefined) {
    this.#state = state
    this.#execRow = execRow
  }

  /** Why the command may not run at all; undefined when it may. */
  refusal(session: ClientSession, row: TableRow, request: Request): string | undefined {
    const state = this.#state
    if (!row.takes(request.argc)) return replyErrors.wrongArity(row.name)
    if (!session.authenticated && state.passwordRequired && (row.flags & Flag.NoAuth) === 0) return NOT_AUTHENTICATED
    const multi = session.multi
    if (multi !== undefined && (row.flags & Flag.NoMulti) !== 0) return NOT_IN_MULTI
    if (!session.account.unrestricted) {
      const denied = this.#denied(session, row, request)
      if (denied !== undefined) return denied
    }
    const flags = multi !== undefined && row === this.#execRow ? row.flags | multi.flags : row.flags
    if (state.memory.bytesMax > 0 && state.memory.makeRoom()) {
      if ((flags & Flag.DenyOom) !== 0 || (multi !== undefined && this.#wouldBeQueued(row))) return OUT_OF_MEMORY
    }
    if ((flags & Flag.Write) !== 0) {
      const fault = state.server.durability.writeFault
      if (fault !== undefined) return fault
      if (state.server.config.values.minReplicasToWrite > 0) return NO_REPLICAS
    }
    if (session.subscriber && session.protocol === 2 && !row.whileSubscribed) {
      return (
        `ERR Can't execute '${row.name}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET ` +
        'are allowed in this context'
      )
    }
    if (state.loading && (flags & Flag.Loading) === 0) return LOADING
    if ((session.monitoring || session.following) && (flags & TOUCHES_KEYS) !== 0) return NOT_FOR_FOLLOWERS
    return undefined
  }

  /** A queue can take any amount of memory: what would join it is refused, what ends it is not. */
  #wouldBeQueued(row: TableRow): boolean {
    return !row.unqueued && row !== this.#execRow
  }

  #denied(session: ClientSession, row: TableRow, request: Request): string | undefined {
    const { account } = session
    const denial = account.check(row, request)
    if (denial === undefined) return undefined
    const context = session.multi === undefined ? 'toplevel' : 'multi'
    logDenial(this.#state.server, session, context, { denial, row, request, username: account.name })
    return denialText(denial, row)
  }

  /** Kept back by CLIENT PAUSE, by a reload, or, if it writes, by a checkpoint that has too much to bring in. */
  mustWait(session: ClientSession, row: TableRow, request: Request): boolean {
    const state = this.#state
    if (state.held) return true
    const mode = state.pause.mode
    if (mode === undefined && !state.server.durability.congested) return false
    if (mode === 'all') return true
    const queued = row === this.#execRow ? session.multi : undefined
    const flags = queued?.flags ?? this.flagsOf(row, request)
    return (flags & (Flag.Write | Flag.MayReplicate)) !== 0
  }

  /** Flags of a command; of one that runs a script or function those that it announced. */
  flagsOf(row: TableRow, request: Request): number {
    return (row.flags & Flag.SkipMonitor) === 0 ? row.flags : this.#state.server.scripts.commandFlags(row, request)
  }
}
