// Answers that come later: a client waits for work that ends by itself (a checkpoint, a sync). Used by: executor.

import { ReplyError } from '../base/errors.js'
import type { Reply } from '../resp/reply.js'
import type { ExecContext } from './context.js'
import type { Failures } from './failures.js'
import type { ClientSession } from './session.js'
import type { Tick } from './tick.js'

/** What this needs of the executor. */
export interface LaterHost {
  readonly context: ExecContext
  readonly tick: Tick
  readonly dead: boolean
  background(work: () => void): void
  readonly failures: Failures
}

export class LaterReplies {
  readonly #host: LaterHost

  constructor(host: LaterHost) {
    this.#host = host
  }

  /** See Server.later. In a transaction nobody can wait: the answer is that of now. */
  begin(session: ClientSession, work: Promise<unknown>, done: (reply: Reply) => void): void {
    if (this.#host.context.inGroup) {
      work.catch(() => undefined)
      done(session.reply)
      return
    }
    session.busy++
    work.then(
      () => this.#finish(session, () => done(session.reply)),
      (error: unknown) =>
        this.#finish(session, () => {
          if (error instanceof ReplyError) throw error
          session.reply.error(`ERR ${error instanceof Error ? error.message : String(error)}`)
        }),
    )
  }

  #finish(session: ClientSession, answer: () => void): void {
    const host = this.#host
    session.busy--
    if (session.closed || host.dead) return
    const position = session.reply.position
    host.background(() => {
      try {
        answer()
      } catch (error) {
        host.failures.answer(error, session, position, session.lastCommand, host.context.request)
      }
    })
    if (session.replyMode === 'off') session.reply.truncate(position)
    host.tick.enlist(session)
    host.tick.resume(session)
  }
}
