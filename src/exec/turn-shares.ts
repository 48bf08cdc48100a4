// Work that can wait, such as bringing cold pages in and writing long replies: it gets a bounded share of each turn of
// the event loop, behind the commands that came in it and whose replies have left, so that however much of it there is,
// whoever asks for what is in memory waits for one share at most. Used by: cold-reads, reply-streams.
//
// Invariants: (1) works come by turns: each runs once at most in a turn, in the order in which they were added; (2) one
// runs in each turn, whatever it takes; (3) it runs between commands.

import type { Clock } from '../base/clock.js'

/** What others may be kept waiting for in a turn; beside it a turn of the loop itself costs little. */
const SHARE_US = 100

/** Does a piece, more of it until isOver() says so, and adds itself again when there is more to do. */
export type Work = (isOver: () => boolean) => void

export class TurnShares {
  readonly #clock: Clock
  readonly #afterwards: () => void
  readonly #works: Work[] = []
  #scheduled = false
  readonly #turn = (): void => this.#run()

  /** @param afterwards called at the end of each share: what was answered in it may leave */
  constructor(clock: Clock, afterwards: () => void) {
    this.#clock = clock
    this.#afterwards = afterwards
  }

  add(work: Work): void {
    this.#works.push(work)
    this.#schedule()
  }

  // An immediate: the loop asks the sockets before it runs the next one.
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#turn)
  }

  #run(): void {
    this.#scheduled = false
    const overUs = this.#clock.monotonicUs() + SHARE_US
    const isOver = (): boolean => this.#clock.monotonicUs() >= overUs
    let left = this.#works.length
    do this.#works.shift()!(isOver)
    while (--left > 0 && !isOver())
    this.#afterwards()
    if (this.#works.length > 0) this.#schedule()
  }
}
