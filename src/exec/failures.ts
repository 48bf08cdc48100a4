// What becomes of an error that a command threw: its reply, in place of what the command had written, or the end of the
// server, when its state can no longer be trusted. Used by: executor, later-replies.

import { isAllocationFailure } from '../base/allocation.js'
import { CorruptionError, ReplyError, replyErrors } from '../base/errors.js'
import type { Request } from '../resp/request.js'
import type { Keyspace } from '../types/keyspace.js'
import type { ExecutorParts } from './executor-parts.js'
import type { ClientSession } from './session.js'

export interface FailureHost {
  /** Its rows know whether the running command has changed anything. */
  readonly keyspace: Keyspace
  /** A defect of ours was met: nothing more is executed. */
  dead: boolean
}

export class Failures {
  readonly #host: FailureHost
  readonly #parts: Pick<ExecutorParts, 'stats' | 'damaged' | 'panic'>

  constructor(host: FailureHost, parts: Pick<ExecutorParts, 'stats' | 'damaged' | 'panic'>) {
    this.#host = host
    this.#parts = parts
  }

  /** @param position of the reply before the command wrote to it */
  answer(error: unknown, session: ClientSession, position: number, doing: string, request: Request): void {
    const text = this.#textOf(error, doing, request)
    if (text === undefined) {
      this.#host.dead = true
      this.#parts.panic(error, doing)
      return
    }
    session.reply.truncate(position)
    session.reply.error(text)
  }

  #textOf(error: unknown, doing: string, request: Request): string | undefined {
    if (error instanceof ReplyError) return error.message
    if (error instanceof CorruptionError) {
      this.#parts.stats.unexpectedErrorReplies++
      return this.#parts.damaged(error, doing, request)
    }
    // In the middle of a change the rest of it would be missing, and nothing can take back what was done.
    const unchanged = this.#host.keyspace.rows.misses.armed
    return unchanged && isAllocationFailure(error) ? replyErrors.noMemory : undefined
  }
}
