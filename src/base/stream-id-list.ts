// Stream IDs side by side, without an object for each: XACK is sent thousands at a time. Used by: commands,
// types/stream.

import { equalIdAt, parseIdInto, type StreamId } from './stream-id.js'

const HALVES = 4
const IDS_MIN = 16
/** A list that one huge command made longer than this gives its memory back. */
const IDS_KEPT_MAX = 16 * 1024

/** Most lists that are made for one of very many groups stay empty. */
const NOTHING = new Uint32Array(0)

export class StreamIdList {
  count = 0
  /** Four halves per ID, most significant first. */
  #halves = NOTHING

  clear(): void {
    this.count = 0
    if (this.#halves.length > IDS_KEPT_MAX * HALVES) this.#halves = new Uint32Array(IDS_MIN * HALVES)
  }

  push(id: StreamId): void {
    const at = this.#room()
    this.#halves[at] = id.msHi
    this.#halves[at + 1] = id.msLo
    this.#halves[at + 2] = id.seqHi
    this.#halves[at + 3] = id.seqLo
    this.count++
  }

  /** Adds the ID that is written in bytes[from, to), as parseId() reads it; false when there is none. */
  parse(bytes: Uint8Array, from: number, to: number): boolean {
    // First the room, which may exchange the array.
    const at = this.#room()
    if (!parseIdInto(bytes, from, to, this.#halves, at)) return false
    this.count++
    return true
  }

  at(index: number): StreamId {
    const at = index * HALVES
    const halves = this.#halves
    return { msHi: halves[at], msLo: halves[at + 1], seqHi: halves[at + 2], seqLo: halves[at + 3] }
  }

  /** Whether ID `index` is the one encoded at bytes[at]. */
  equalsAt(index: number, bytes: Uint8Array, at: number): boolean {
    return equalIdAt(bytes, at, this.#halves, index * HALVES)
  }

  /** Where the halves of the next ID go. */
  #room(): number {
    const at = this.count * HALVES
    if (at === this.#halves.length) {
      const grown = new Uint32Array(Math.max(at * 2, IDS_MIN * HALVES))
      grown.set(this.#halves)
      this.#halves = grown
    }
    return at
  }
}
