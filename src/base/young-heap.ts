// How large V8's space for new objects may grow, and how full it gets. Each time it is full, what is still used of it
// is copied while clients wait; V8 lets its halves grow to 16 MiB, and where most new objects stay (keys that are made)
// a copy of one takes tens of milliseconds. A smaller space is copied more often, in as much shorter pauses.
// Used by: main.
//
// V8 takes a limit only when its process starts, but reads the factor by which the space grows each time that it grows:
// by a factor of one it stays as it is. While the program is loaded it grows beyond (to 4 or 8 MiB; holding it down
// costs the start a fifth of its time), and shrinks by itself when little is done.
//
// Between two turns of the event loop V8 collects it when it is fuller than a part that it reads each time: while much
// of what is made stays, at a fifth, so that the next turn does not meet a full one (the longest pauses are a third
// shorter, for 2.6 µs of collections an append to 100,000 new streams instead of 2.1). Otherwise nearly nothing is
// copied, and V8's own part is right.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

const HALF_BYTES = 4 * 1024 * 1024
const LOOK_MS = 250
/** While it is to grow: no more than its size may be made and kept meanwhile, or it grows too far. */
const GROWING_LOOK_MS = 100
/** V8's own minor-gc-task-trigger, and that for times when new objects stay. */
const TRIGGER_PERCENT = 80
const TRIGGER_STAYING_PERCENT = 20
/** By so much what is kept grows from one look to the next when new objects stay; */
const STAYING_BYTES = 1024 * 1024
/** so many looks later it is over: a collection of old objects hides the growth for one. */
const STAYING_LOOKS = 8

/** Value of V8's semi-space-growth-factor for halves of that size. */
export function growthFactor(halfBytes: number): number {
  return Math.max(1, Math.floor(HALF_BYTES / Math.max(halfBytes, 1)))
}

export interface HeapSizes {
  /** Of one half of the space for new objects. */
  readonly halfBytes: number
  /** Of what has stayed. */
  readonly oldBytes: number
}

function heapSizes(): HeapSizes {
  const spaces = getHeapSpaceStatistics()
  const young = spaces.find(({ space_name: name }) => name === 'new_space')
  const old = spaces.find(({ space_name: name }) => name === 'old_space')
  // V8 without such a space has nothing to limit.
  return { halfBytes: young === undefined ? HALF_BYTES : young.space_size / 2, oldBytes: old?.space_used_size ?? 0 }
}

export class YoungHeap {
  readonly #setFlag: (flag: string) => void
  readonly #sizes: () => HeapSizes
  #factor = 0
  #oldBytes: number
  #trigger = TRIGGER_PERCENT
  /** Looks until new objects are taken to stay no longer. */
  #stayingLooks = 0
  #timer: NodeJS.Timeout | undefined

  constructor(setFlag = setFlagsFromString, sizes = heapSizes) {
    this.#setFlag = setFlag
    this.#sizes = sizes
    this.#oldBytes = sizes().oldBytes
  }

  /** Returns milliseconds until the next look. */
  look(): number {
    const { halfBytes, oldBytes } = this.#sizes()
    this.#setTrigger(oldBytes - this.#oldBytes)
    this.#oldBytes = oldBytes
    const factor = growthFactor(halfBytes)
    if (factor !== this.#factor) this.#setFlag(`--semi-space-growth-factor=${factor}`)
    this.#factor = factor
    return factor === 1 ? LOOK_MS : GROWING_LOOK_MS
  }

  #setTrigger(grownBytes: number): void {
    if (grownBytes >= STAYING_BYTES) this.#stayingLooks = STAYING_LOOKS
    else if (this.#stayingLooks > 0) this.#stayingLooks--
    const trigger = this.#stayingLooks > 0 ? TRIGGER_STAYING_PERCENT : TRIGGER_PERCENT
    if (trigger !== this.#trigger) this.#setFlag(`--minor-gc-task-trigger=${trigger}`)
    this.#trigger = trigger
  }

  start(): void {
    this.#timer = setTimeout(() => this.start(), this.look()).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
