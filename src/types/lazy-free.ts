// Slots whose database was flushed, and those made for a value that takes long to drop: their objects are dropped and
// their directory rows deleted in slices. The dead slots stand in the database map, so a crash only means that the next
// start queues them again. Used by: keyspace. Nothing finds the keys of a dead slot any more, and no new key can have
// its number.

import type { KeyEntry } from './key-entry.js'
import type { Slot } from './slot.js'

export class LazyFree {
  #slots: Slot[] = []
  #entries: Iterator<KeyEntry> | undefined
  /** The entry whose value is being dropped piece by piece. */
  #entry: KeyEntry | undefined
  #pending = 0
  readonly #onEmptied: (slot: Slot) => void

  /** @param onEmptied called when the last row of a slot was removed */
  constructor(onEmptied: (slot: Slot) => void) {
    this.#onEmptied = onEmptied
  }

  /** Keys still to be worked off. */
  get pending(): number {
    return this.#pending
  }

  add(slot: Slot): void {
    this.#slots.push(slot)
    this.#pending += slot.keys.size
  }

  /** Works off about `max` keys, or as many pieces of their values; true while there is more. */
  some(max: number): boolean {
    for (let left = max; left > 0 && this.#slots.length > 0;) {
      const entry = (this.#entry ??= this.#next())
      if (entry === undefined) continue
      const pieces = entry.dropPieces
      if (pieces > left && pieces > 1) {
        if (entry.dropSome(left)) return true
      } else {
        entry.dropValue()
      }
      left -= pieces
      this.#entry = undefined
      entry.slot.rows.touch(entry)
      entry.leave()
      this.#pending--
    }
    return this.#slots.length > 0
  }

  /** The next key; undefined when its slot had no more, and was told of. */
  #next(): KeyEntry | undefined {
    this.#entries ??= this.#slots[0].keys.entries()
    const next = this.#entries.next()
    if (next.done !== true) return next.value
    this.#entries = undefined
    this.#onEmptied(this.#slots.shift()!)
    return undefined
  }
}
