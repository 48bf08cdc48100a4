// How much garbage may gather before V8 looks for it. V8 goes by the size of its own heap, which is small here since
// pages and buffers lie outside of it, yet it counts those as garbage to be: under load it would mark the whole heap
// several times a second (a tenth of the server's CPU, measured). Used by: main.

import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** What may gather while the heap is small: memory that is spent for fewer collections. */
const GARBAGE_BYTES = 32 * 1024 * 1024
/** From here on V8's own judgement is good enough. */
const HEAP_BYTES_MAX = 64 * 1024 * 1024
const HEAP_BYTES_MIN = 8 * 1024 * 1024
const LOOK_MS = 1000

/** Value of V8's heap-growing-percent for a heap of that size; 0 leaves it to V8. */
export function growingPercent(heapBytes: number): number {
  if (heapBytes > HEAP_BYTES_MAX) return 0
  return Math.round((100 * GARBAGE_BYTES) / Math.max(heapBytes, HEAP_BYTES_MIN))
}

export class HeapGrowth {
  readonly #setFlag: (flag: string) => void
  readonly #heapBytes: () => number
  #percent = -1
  #timer: NodeJS.Timeout | undefined

  constructor(setFlag = setFlagsFromString, heapBytes = () => getHeapStatistics().used_heap_size) {
    this.#setFlag = setFlag
    this.#heapBytes = heapBytes
  }

  /** V8 reads the flag at the end of each collection, so it may be changed at any time. */
  look(): void {
    const percent = growingPercent(this.#heapBytes())
    if (percent === this.#percent) return
    this.#percent = percent
    this.#setFlag(`--heap-growing-percent=${percent}`)
  }

  start(): void {
    this.look()
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
