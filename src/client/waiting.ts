// Waits that end: by time, by a signal, or because somebody woke the sleeper. Used by: queue, worker.

/** Resolves after `ms`, or as soon as `signal` is aborted; never rejects. Keeps the process alive only if `held`. */
export function pause(ms: number, signal?: AbortSignal, held = true): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    if (!held) timer.unref()
    signal?.addEventListener('abort', done, { once: true })
  })
}

/** A bell with a memory: a ring nobody waits for lets the next wait return at once. */
export class Bell {
  #rung = false
  readonly #sleepers = new Set<() => void>()

  ring(): void {
    if (this.#sleepers.size === 0) this.#rung = true
    for (const wake of this.#sleepers) wake()
  }

  /** Until the next ring, `ms` or `signal`. @returns whether it rang */
  wait(ms: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#rung || signal?.aborted) {
      const rang = this.#rung
      this.#rung = false
      return Promise.resolve(rang)
    }
    return new Promise(resolve => {
      const finish = (rang: boolean): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', late)
        this.#sleepers.delete(wake)
        resolve(rang)
      }
      const late = (): void => finish(false)
      const wake = (): void => finish(true)
      const timer = setTimeout(late, ms)
      signal?.addEventListener('abort', late, { once: true })
      this.#sleepers.add(wake)
    })
  }
}

/** Delays that double from `firstMs` up to `maxMs`. `attempt` counts from 1. */
export function doubledMs(attempt: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30))
}
