// maxmemory: looks at the process' memory now and then and says whether commands that need more are to be refused.
// Between two looks the limit can be passed by what is executed meanwhile; it bounds the process, not the byte.

/** Bytes that INFO calls used_memory: what the engine holds for objects and buffers. */
export function usedMemoryBytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

export class MemoryGuard {
  readonly #used: () => number
  readonly #judge: (full: boolean) => void
  #bytesMax = 0
  #timer: NodeJS.Timeout | undefined

  /** @param judge told after each look whether the limit is passed */
  constructor(judge: (full: boolean) => void, used: () => number = usedMemoryBytes) {
    this.#used = used
    this.#judge = judge
  }

  /** maxmemory; 0 for none. Takes effect at once. */
  set bytesMax(bytes: number) {
    this.#bytesMax = bytes
    clearInterval(this.#timer)
    this.#timer = undefined
    if (bytes > 0) {
      this.#timer = setInterval(() => this.look(), LOOK_MS)
      this.#timer.unref()
    }
    this.look()
  }

  look(): void {
    this.#judge(this.#bytesMax > 0 && this.#used() > this.#bytesMax)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

const LOOK_MS = 50
