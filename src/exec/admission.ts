// Why a command may not run at all: the checks before it is queued or run, in Redis' order. Used by: executor.

import { replyErrors } from '../base/errors.js'
import { Flag } from '../commands/spec.js'
import type { TableRow } from '../commands/table.js'
import type { ClientSession } from './session.js'

/** What the checks depend on beside the client and the row. */
export interface AdmissionState {
  readonly loading: boolean
  readonly outOfMemory: boolean
  readonly passwordRequired: boolean
  /** Why writes are refused at present. */
  readonly writeFault: string | undefined
  readonly execRow: TableRow | undefined
}

const NOT_AUTHENTICATED = 'NOAUTH Authentication required.'
const LOADING = 'LOADING Redis is loading the dataset in memory'
const OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'."
const NOT_IN_MULTI = 'ERR Command not allowed inside a transaction'
/** Redis counts a client in MONITOR among its replicas. */
const NOT_FOR_MONITORS = "ERR Replica can't interact with the keyspace"

const TOUCHES_KEYS = Flag.Write | Flag.ReadOnly | Flag.MayReplicate

/** The error text, or undefined when the command may run. */
export function refusal(
  state: AdmissionState,
  session: ClientSession,
  row: TableRow,
  argc: number,
): string | undefined {
  if (!row.takes(argc)) return replyErrors.wrongArity(row.name)
  if (!session.authenticated && state.passwordRequired && (row.flags & Flag.NoAuth) === 0) return NOT_AUTHENTICATED
  const multi = session.multi
  if (multi !== undefined && (row.flags & Flag.NoMulti) !== 0) return NOT_IN_MULTI
  const flags = multi !== undefined && row === state.execRow ? row.flags | multi.flags : row.flags
  if (state.outOfMemory && (flags & Flag.DenyOom) !== 0) return OUT_OF_MEMORY
  if ((flags & Flag.Write) !== 0) {
    const fault = state.writeFault
    if (fault !== undefined) return fault
  }
  if (session.subscriber && session.protocol === 2 && !row.whileSubscribed) {
    return (
      `ERR Can't execute '${row.name}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET ` +
      'are allowed in this context'
    )
  }
  if (state.loading && (flags & Flag.Loading) === 0) return LOADING
  if (session.monitoring && (flags & TOUCHES_KEYS) !== 0) return NOT_FOR_MONITORS
  return undefined
}
