// What the turns of the event loop take of the processor: how long they would keep others waiting if no other process
// wanted it. Used by: exec/loop-delay. Without the addon nothing is measured.

import { addon } from './addon.js'

/** The addon's part. A handle is opaque; a number below zero is -errno. */
export interface TurnMeterAddon {
  /** Not in builds of before it was thought of. */
  turnMeterStart?(counts: Buffer): unknown
  turnMeterStop?(handle: unknown): number
}

export class TurnMeter {
  /** Of turns, by the nanoseconds that they took, in the layout of exec/latency-histogram. */
  readonly counts: Uint32Array
  readonly #bytes: Buffer
  #handle: unknown

  constructor(counters: number) {
    this.#bytes = Buffer.alloc(counters * 4)
    this.counts = new Uint32Array(this.#bytes.buffer, this.#bytes.byteOffset, counters)
  }

  /** Measures the calling thread's event loop from now on. False when that cannot be done here. */
  start(): boolean {
    this.stop()
    const handle = addon?.turnMeterStart?.(this.#bytes)
    this.#handle = typeof handle === 'number' ? undefined : handle
    return this.#handle !== undefined
  }

  stop(): void {
    if (this.#handle !== undefined) addon?.turnMeterStop?.(this.#handle)
    this.#handle = undefined
  }
}
