// When the next sync of the journal begins, in `always`. A sync costs the device about the same for one record as for
// a thousand, and clients answered together send their next commands together. A sync that began with the first of
// them would leave the others to the one after it: two syncs, each for half of the clients, for ever. So the next one
// is put off until about as many clients wait for it as can be expected, but never for long.
// Used by: journal.ts.
//
// Invariant: whoever waits is put off only for as long as others join, each within GATHER_MS of the one before, and not
// at all when nobody came for GATHER_MS after the last sync.

/** How long clients may wait for company. Expectations that fail are lowered, so it is rarely spent twice. */
const GATHER_MS = 1

export class SyncGroup {
  readonly #begin: () => void
  /** Clients that the running sync covers, or the last one did; that wait for the next. */
  #covered = 0
  #waiting = 0
  /** Clients worth waiting for; 0 when the next sync may begin at once. */
  #expected = 0
  #timer: NodeJS.Timeout | undefined

  /** @param begin starts a sync; called when the time to gather is over and somebody waits */
  constructor(begin: () => void) {
    this.#begin = begin
  }

  /** Clients wait for the next sync. */
  add(clients: number): void {
    this.#waiting += clients
  }

  /** Whether those who wait are company enough for a sync of their own. */
  get complete(): boolean {
    return this.#waiting >= this.#expected
  }

  syncStarted(): void {
    this.#covered = this.#waiting
    this.#waiting = 0
    this.#stopGathering()
  }

  /** Those it covered are about to be answered, and come again if they have more to say. */
  syncEnded(): void {
    const both = this.#covered + this.#waiting
    this.#covered = 0
    // A few may have nothing more to say.
    this.#expected = both - (both >> 3)
    if (!this.complete) this.#gather()
  }

  #gather(): void {
    const before = this.#waiting
    this.#timer = setTimeout(() => {
      if (this.#waiting > before) return this.#gather()
      this.#stopGathering()
      if (this.#waiting > 0) this.#begin()
    }, GATHER_MS)
  }

  close(): void {
    this.#stopGathering()
  }

  #stopGathering(): void {
    this.#expected = 0
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
