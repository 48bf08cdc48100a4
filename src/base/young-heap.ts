// How large V8's space for new objects may grow. Each time it is full, what is still used of it is copied while clients
// wait; V8 lets its halves grow to 16 MiB, and where most new objects stay (keys that are made) a copy of one takes
// tens of milliseconds. A smaller space is copied more often, in as much shorter pauses. Used by: main.
//
// V8 takes a limit only when its process starts, but reads the factor by which the space grows each time that it grows:
// by a factor of one it stays as it is. While the program is loaded it grows beyond (to 4 or 8 MiB; holding it down
// costs the start a fifth of its time), and shrinks by itself when little is done.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

const HALF_BYTES = 4 * 1024 * 1024
const LOOK_MS = 1000
/** While it is to grow: no more than its size may be made and kept meanwhile, or it grows too far. */
const GROWING_LOOK_MS = 100

/** Value of V8's semi-space-growth-factor for halves of that size. */
export function growthFactor(halfBytes: number): number {
  return Math.max(1, Math.floor(HALF_BYTES / Math.max(halfBytes, 1)))
}

/** Bytes of one half. */
function halfOfNewSpace(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  // V8 without such a space has nothing to limit.
  return space === undefined ? HALF_BYTES : space.space_size / 2
}

export class YoungHeap {
  readonly #setFlag: (flag: string) => void
  readonly #halfBytes: () => number
  #factor = 0
  #timer: NodeJS.Timeout | undefined

  constructor(setFlag = setFlagsFromString, halfBytes = halfOfNewSpace) {
    this.#setFlag = setFlag
    this.#halfBytes = halfBytes
  }

  /** Returns milliseconds until the next look. */
  look(): number {
    const factor = growthFactor(this.#halfBytes())
    if (factor !== this.#factor) this.#setFlag(`--semi-space-growth-factor=${factor}`)
    this.#factor = factor
    return factor === 1 ? LOOK_MS : GROWING_LOOK_MS
  }

  start(): void {
    this.#timer = setTimeout(() => this.start(), this.look()).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
