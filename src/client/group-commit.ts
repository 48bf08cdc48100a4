// One request in flight, the others gather for the next: callers that come one by one share round trips without waiting
// for a timer. Used by: queue (publish, settle), worker (acknowledge).
//
// Invariants: (1) batches run one after another, in the order of the calls; (2) each call is settled by its own batch.

interface Waiting<Item, Result> {
  readonly item: Item
  readonly weight: number
  readonly resolve: (result: Result) => void
  readonly reject: (error: Error) => void
}

export interface GroupLimits<Item> {
  readonly itemsMax: number
  /** Upper bound of the sum of `weigh` in a batch; a heavier item goes alone. */
  readonly weightMax?: number
  weigh?(item: Item): number
}

export class GroupCommit<Item, Result> {
  readonly #waiting: Waiting<Item, Result>[] = []
  #running: Promise<void> | undefined

  /** @param run answers one result per item, in order; when it throws, the whole batch fails with its error */
  constructor(
    private readonly run: (items: Item[]) => Promise<readonly Result[]>,
    private readonly limits: GroupLimits<Item>,
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, weight: this.limits.weigh?.(item) ?? 0, resolve, reject })
      this.#running ??= this.#drain()
    })
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  async #drain(): Promise<void> {
    // Calls made in the same turn join the first batch.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#take()
      try {
        const results = await this.run(batch.map(({ item }) => item))
        batch.forEach(({ resolve }, i) => resolve(results[i]))
      } catch (error) {
        for (const { reject } of batch) reject(error as Error)
      }
    }
    this.#running = undefined
  }

  #take(): Waiting<Item, Result>[] {
    const { itemsMax, weightMax = Infinity } = this.limits
    let count = 0
    let weight = 0
    while (count < Math.min(itemsMax, this.#waiting.length)) {
      weight += this.#waiting[count].weight
      if (count > 0 && weight > weightMax) break
      count++
    }
    return this.#waiting.splice(0, count)
  }
}
