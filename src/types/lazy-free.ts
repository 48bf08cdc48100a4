// Slots whose database was flushed: their objects are dropped and their directory rows deleted in slices. The dead
// slots stand in the database map, so a crash only means that the next start queues them again. Used by: keyspace.
// Nothing finds the keys of a dead slot any more, and no new key can have its number.

import type { KeyEntry } from './key-entry.js'
import type { Slot } from './slot.js'

export class LazyFree {
  #slots: Slot[] = []
  #entries: Iterator<KeyEntry> | undefined
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

  /** Works off up to `max` keys; true while there is more. */
  some(max: number): boolean {
    for (let left = max; left > 0 && this.#slots.length > 0;) {
      this.#entries ??= this.#slots[0].keys.entries()
      const next = this.#entries.next()
      if (next.done === true) {
        this.#entries = undefined
        this.#onEmptied(this.#slots.shift()!)
        continue
      }
      const entry = next.value
      entry.dropValue()
      entry.slot.rows.touch(entry)
      entry.leave()
      this.#pending--
      left--
    }
    return this.#slots.length > 0
  }
}
