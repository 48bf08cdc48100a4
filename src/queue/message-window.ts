// Stored messages that this process has at hand, so that distributing them asks the server for nothing. Bounded: what
// does not fit is read again from the storage. Used by: distribution.

import type { StoredMessage } from './queue-backend.js'

const MESSAGES_MAX = 8192
const BYTES_MAX = 16 * 1024 * 1024

export class MessageWindow {
  readonly #messages = new Map<number, StoredMessage>()
  #bytes = 0

  add(message: StoredMessage): void {
    if (this.#messages.has(message.uid)) return
    this.#messages.set(message.uid, message)
    this.#bytes += message.body.length
    while (this.#messages.size > MESSAGES_MAX || this.#bytes > BYTES_MAX)
      this.#drop(this.#messages.keys().next().value!)
  }

  /** The messages that follow `uid` without a gap, up to `limit`. */
  after(uid: number, limit: number): StoredMessage[] {
    const found: StoredMessage[] = []
    for (let next = uid + 1; found.length < limit; next++) {
      const message = this.#messages.get(next)
      if (message === undefined) break
      found.push(message)
    }
    return found
  }

  /** What lies out of order behind a later message stays until the bounds drive it out. */
  forgetThrough(uid: number): void {
    for (const at of this.#messages.keys()) {
      if (at > uid) return
      this.#drop(at)
    }
  }

  #drop(uid: number): void {
    this.#bytes -= this.#messages.get(uid)?.body.length ?? 0
    this.#messages.delete(uid)
  }
}
