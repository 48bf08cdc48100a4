// CLIENT PAUSE: until when commands wait, and which. While it lasts, whoever sends such a command keeps it (see
// ClientSession.postponed); at its end all of them go on.

import type { Deadline, Deadlines } from './deadlines.js'

export type PauseMode = 'write' | 'all'

export class Pause {
  readonly #deadlines: Deadlines
  readonly #onEnd: () => void
  #end: Deadline | undefined
  #untilMs = 0
  /** Undefined when nothing is paused. */
  mode: PauseMode | undefined

  constructor(deadlines: Deadlines, onEnd: () => void) {
    this.#deadlines = deadlines
    this.#onEnd = onEnd
  }

  get untilMs(): number {
    return this.mode === undefined ? 0 : this.#untilMs
  }

  /** Pauses until `untilMs` at the earliest. A running pause is made longer or stricter, never shorter or milder. */
  begin(untilMs: number, mode: PauseMode, nowMs: number): void {
    if (this.mode === undefined) {
      this.mode = mode
      this.#untilMs = untilMs
    } else {
      if (mode === 'all') this.mode = 'all'
      this.#untilMs = Math.max(this.#untilMs, untilMs)
    }
    if (this.#end !== undefined) this.#deadlines.cancel(this.#end)
    this.#end = this.#deadlines.add(Math.max(this.#untilMs - nowMs, 0), () => this.end())
  }

  end(): void {
    if (this.mode === undefined) return
    this.mode = undefined
    if (this.#end !== undefined) this.#deadlines.cancel(this.#end)
    this.#end = undefined
    this.#onEnd()
  }
}
