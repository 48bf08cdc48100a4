// Who waits for the journal's syncs: the ticks, whose replies leave when they are durable, and callers of synced().
// Used by: journal.ts.
//
// Invariant: ticks are released in their order. They queue behind ticks only, never behind callers of synced(): in
// `everysec` a caller that waits must not make everybody's replies wait.

/** Called when a tick is as durable as the policy asks; with a reason when it never will be (the store was closed). */
export type Done = (fault?: string) => void

export class Acknowledgements {
  /** Ticks that the running sync covers; that the next one will; that wait for a fault to end. */
  #covered: Done[] = []
  #uncovered: Done[] = []
  #held: Done[] = []
  /** Callers of synced(); those held are among the uncovered. */
  #waitersCovered: Done[] = []
  #waitersUncovered: Done[] = []

  /** True when a sync is needed for somebody. */
  get pending(): boolean {
    return this.#uncovered.length > 0 || this.#waitersUncovered.length > 0
  }

  get anyHeld(): boolean {
    return this.#held.length > 0
  }

  /** A tick that needs the next sync. */
  needsSync(done: Done): void {
    this.#uncovered.push(done)
  }

  /** A tick that needs none, in its turn; at once when nobody is before it. */
  behind(done: Done): void {
    if (this.#uncovered.length > 0) this.#uncovered.push(done)
    else if (this.#covered.length > 0) this.#covered.push(done)
    else done()
  }

  /** A tick whose records could not be written. */
  hold(done: Done): void {
    this.#held.push(done)
  }

  waiter(done: Done): void {
    this.#waitersUncovered.push(done)
  }

  syncStarted(): void {
    this.#covered = this.#uncovered
    this.#uncovered = []
    this.#waitersCovered = this.#waitersUncovered
    this.#waitersUncovered = []
  }

  syncSucceeded(): void {
    const ticks = this.#covered
    const waiters = this.#waitersCovered
    this.#covered = []
    this.#waitersCovered = []
    call(ticks)
    call(waiters)
  }

  syncFailed(): void {
    this.#held = [...this.#covered, ...this.#uncovered, ...this.#held]
    this.#covered = []
    this.#uncovered = []
    this.#waitersUncovered = [...this.#waitersCovered, ...this.#waitersUncovered]
    this.#waitersCovered = []
  }

  /** What was held is written now and needs the next sync. */
  heldWritten(): void {
    this.#uncovered = [...this.#uncovered, ...this.#held]
    this.#held = []
  }

  /** Calls everybody whom no running sync covers, with the reason if it is for the worse. */
  releaseAll(fault?: string): void {
    const ticks = [...this.#uncovered, ...this.#held]
    const waiters = this.#waitersUncovered
    this.#uncovered = []
    this.#held = []
    this.#waitersUncovered = []
    call(ticks, fault)
    call(waiters, fault)
  }
}

function call(callbacks: readonly Done[], fault?: string): void {
  for (let i = 0; i < callbacks.length; i++) callbacks[i](fault)
}
