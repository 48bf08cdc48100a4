// What V8 counts as garbage to be. It adds up the bytes of all buffers, and after every 64 MiB of new ones marks the
// heap, in steps of up to ten milliseconds at each further buffer. Pages make such buffers all the time, and what of
// them is in the page cache is no garbage: it is taken out of V8's account as long as it is there, so that the account
// shows what may be collected. Used by: store. Without the addon V8 judges for itself.

import { addon } from './addon.js'

/** The addon's part. */
export interface HeapShareAddon {
  /** Returns what V8 counts then. Not in builds of before it was thought of. */
  adjustExternalMemory?(bytes: number): number
}

/** Between two calls to V8: what it is told in one go must be small beside the 64 MiB. */
const STEP_BYTES = 1 << 20

export class HeapShare {
  readonly #adjust: (bytes: number) => void
  #told = 0

  constructor(adjust: ((bytes: number) => void) | undefined = addon?.adjustExternalMemory) {
    this.#adjust = adjust ?? (() => undefined)
  }

  /** So many bytes of buffers are in use at present, and no garbage. */
  held(bytes: number): void {
    const delta = bytes - this.#told
    if (delta < STEP_BYTES && delta > -STEP_BYTES) return
    this.#told = bytes
    this.#adjust(-delta)
  }

  /** None are any more. */
  end(): void {
    if (this.#told !== 0) this.#adjust(this.#told)
    this.#told = 0
  }
}
