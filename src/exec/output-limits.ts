// client-output-buffer-limit: a client that does not take its replies is closed, at once above the hard limit, or when
// it has been above the soft limit for too long. Counted is what was executed and has not reached the kernel.

import type { OutputLimits as Limits } from '../base/config-special.js'
import type { ClientSession } from './session.js'

/** Redis allows 1 KiB, but does not count the 16 KiB buffer that every client has there: pipelines fit into it. */
const STRANGER_BYTES_MAX = 17 * 1024
const SOFT_LOOK_MS = 250

export class OutputLimits {
  limits: Limits
  readonly #log: (message: string) => void
  #timer: NodeJS.Timeout | undefined

  constructor(limits: Limits, log: (message: string) => void) {
    this.limits = limits
    this.#log = log
  }

  /**
   * Closes `session` if it must go, and says so.
   * @param stranger it must authenticate first: then it is given little
   */
  check(session: ClientSession, nowMs: number, stranger = false): boolean {
    const { replica, pubsub, normal } = this.limits
    const { hardBytes, softBytes, softSeconds } = session.following ? replica : session.subscriber ? pubsub : normal
    if (hardBytes === 0 && softBytes === 0 && !stranger) return false
    const bytes = session.outputBytes
    if (stranger && bytes > STRANGER_BYTES_MAX) return this.#end(session)
    if (softBytes === 0 || bytes < softBytes) session.softLimitSinceMs = 0
    else if (session.softLimitSinceMs === 0) session.softLimitSinceMs = nowMs
    const tooLong = session.softLimitSinceMs !== 0 && nowMs - session.softLimitSinceMs > softSeconds * 1000
    if (!tooLong && (hardBytes === 0 || bytes < hardBytes)) return false
    return this.#end(session)
  }

  /** Whether the client will have to go for what has been written. */
  isFull(session: ClientSession): boolean {
    const { hardBytes } = session.subscriber ? this.limits.pubsub : this.limits.normal
    return hardBytes > 0 && session.outputBytes >= hardBytes
  }

  /** Looks now and then at those above their soft limit, who may neither read nor ask for anything. */
  watch(sessions: Iterable<ClientSession>, nowMs: () => number): void {
    this.#timer ??= setInterval(() => {
      const now = nowMs()
      for (const session of sessions) if (session.softLimitSinceMs !== 0 && !session.closing) this.check(session, now)
    }, SOFT_LOOK_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #end(session: ClientSession): true {
    this.#log(`Client id=${session.id} addr=${session.address} closed for overcoming of output buffer limits.`)
    session.close('now')
    return true
  }
}
