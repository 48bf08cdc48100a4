// How far a long tool has come, on standard error: a line now and then, none for what is quick. Used by: the tools.

import type { Clock } from '../base/clock.js'
import type { ToolOutput } from '../base/tool.js'

const PAUSE_US = 2_000_000
const STEPS_PER_LOOK = 64

export class Progress {
  readonly #output: ToolOutput
  readonly #clock: Clock
  readonly #doing: string
  readonly #total: number
  #done = 0
  #lastUs: number
  #looked = 0

  /** @param doing '%' stands for how much: 'checked % pages' */
  constructor(output: ToolOutput, clock: Clock, doing: string, total: number) {
    this.#output = output
    this.#clock = clock
    this.#doing = doing
    this.#total = total
    this.#lastUs = clock.monotonicUs()
  }

  step(steps = 1): void {
    this.#done += steps
    if (++this.#looked % STEPS_PER_LOOK === 0) this.look()
  }

  /** Says how far it is when it has said nothing for a while. @param done replaces the sum of the steps */
  look(done = this.#done): void {
    const nowUs = this.#clock.monotonicUs()
    if (nowUs - this.#lastUs < PAUSE_US) return
    this.#lastUs = nowUs
    const percent = this.#total > 0 ? ` (${Math.min(100, Math.floor((done / this.#total) * 100))} %)` : ''
    this.#output.err(`${this.#doing.replace('%', `${done} of ${this.#total}`)}${percent}\n`)
  }
}
