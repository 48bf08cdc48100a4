// Replies that are sent while they are written: collections larger than LONG_REPLY_BYTES go out page by page as the
// client takes them, as they were at the time of the command. What the command wrote before (the head of an array)
// leaves first. Used by: the commands that read whole ranges. Run by: exec/reply-streams.

import type { Reply } from '../resp/reply.js'
import type { LongRead } from '../types/long-read.js'

/** Shorter replies are written at once: that costs less, and holds no more than this. */
export const LONG_REPLY_BYTES = 1024 * 1024
const ITEMS_AT_ONCE = 256
/** Of parts, each of which may read a page or two. */
const PARTS_AT_ONCE = 64

/** A reply that is written a piece at a time, between other commands. */
export interface LongReply {
  /** What must be waited for before write(); undefined when it can be called now. */
  fetch(): Promise<void> | undefined
  /** Writes some more; false when it was the last. @throws CorruptionError */
  write(reply: Reply): boolean
  /** Bytes of pages that it holds although they have changed, or may. */
  readonly pinnedBytes: number
  /** Lets go of everything it holds; it is not used afterwards. */
  close(): void
}

/** The items of one read. */
export class ReadReply<V> implements LongReply {
  readonly #read: LongRead<V>
  readonly #visitorFor: (reply: Reply) => V

  /** @param visitorFor gives what writes an item */
  constructor(read: LongRead<V>, visitorFor: (reply: Reply) => V) {
    this.#read = read
    this.#visitorFor = visitorFor
  }

  get pinnedBytes(): number {
    return this.#read.pinnedBytes
  }

  fetch(): Promise<void> | undefined {
    return this.#read.fetch()
  }

  write(reply: Reply): boolean {
    return this.#read.next(this.#visitorFor(reply))
  }

  close(): void {
    this.#read.close()
  }
}

/** The items of an array that is in memory. */
export class ListedReply<T> implements LongReply {
  readonly pinnedBytes = 0
  readonly #items: readonly T[]
  readonly #writeItem: (reply: Reply, item: T) => void
  #at = 0

  constructor(items: readonly T[], writeItem: (reply: Reply, item: T) => void) {
    this.#items = items
    this.#writeItem = writeItem
  }

  fetch(): undefined {
    return undefined
  }

  write(reply: Reply): boolean {
    const end = Math.min(this.#at + ITEMS_AT_ONCE, this.#items.length)
    while (this.#at < end) this.#writeItem(reply, this.#items[this.#at++])
    return end < this.#items.length
  }

  close(): void {
    this.#at = this.#items.length
  }
}

/** Writes a part of a reply; what it leaves comes before the next part. */
export type WritePart = (reply: Reply) => LongReply | undefined

/** Parts that are worked out when their turn comes. Between two pieces other commands run: see what they may change. */
export class SteppedReply implements LongReply {
  readonly #parts: Iterator<WritePart>
  /** What the last part has left. */
  #rest: LongReply | undefined

  constructor(parts: Iterable<WritePart>) {
    this.#parts = parts[Symbol.iterator]()
  }

  get pinnedBytes(): number {
    return this.#rest?.pinnedBytes ?? 0
  }

  fetch(): Promise<void> | undefined {
    return this.#rest?.fetch()
  }

  write(reply: Reply): boolean {
    if (this.#rest !== undefined) {
      if (!this.#rest.write(reply)) this.#closeRest()
      return true
    }
    for (let i = 0; i < PARTS_AT_ONCE && this.#rest === undefined; i++) {
      const part = this.#parts.next()
      if (part.done === true) return false
      this.#rest = part.value(reply)
    }
    return true
  }

  close(): void {
    this.#closeRest()
    this.#parts.return?.()
  }

  #closeRest(): void {
    this.#rest?.close()
    this.#rest = undefined
  }
}

/** Several replies, one behind the other. */
export class JoinedReply implements LongReply {
  readonly #parts: LongReply[]

  constructor(parts: readonly LongReply[]) {
    this.#parts = [...parts]
  }

  get pinnedBytes(): number {
    return this.#parts.reduce((sum, part) => sum + part.pinnedBytes, 0)
  }

  fetch(): Promise<void> | undefined {
    return this.#parts[0]?.fetch()
  }

  write(reply: Reply): boolean {
    const part = this.#parts[0]
    if (part !== undefined && !part.write(reply)) {
      part.close()
      this.#parts.shift()
    }
    return this.#parts.length > 0
  }

  close(): void {
    for (const part of this.#parts.splice(0)) part.close()
  }
}

/** Something short in a row of replies: the head of an array, a name. */
export class ShortReply implements LongReply {
  readonly pinnedBytes = 0

  constructor(private readonly writeAll: (reply: Reply) => void) {}

  fetch(): undefined {
    return undefined
  }

  write(reply: Reply): boolean {
    this.writeAll(reply)
    return false
  }

  close(): void {}
}
