// Memory that was needed once and is free now goes back to the system: while clients ask, what is much of it and in
// large pieces, in slices that nobody notices; when nobody asks for anything, all of it. Used by: memory-control,
// MEMORY PURGE.
//
// Looked at once a second: it is worth it when what is resident and unused has grown by a step since it was last given
// back. Under load the step is larger, and half of it stays: garbage comes and goes, and what is needed again at once
// would have to be had from the system again.

import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { trimHeap, trimHeapSome } from '../native/heap-trim.js'

const LOOK_MS = 1000
/** Commands in a second that a server may have and be quiet: INFO and PING of whoever watches it. */
const QUIET_COMMANDS_MAX = 20
const STEP_BYTES = 64 * 1024 * 1024
const BUSY_STEP_BYTES = 2 * STEP_BYTES
/**
 * After a pass that was in vain what is resident counts as used, and from look to look so much less of it: it may have
 * been in use just then only, such as what a checkpoint writes.
 */
const SINK_BYTES = BUSY_STEP_BYTES / 8
/** A slice, and the pause behind it. */
const SLICE_US = 500
const SLICE_PAUSE_MS = 5
/** V8 frees buffers that it has collected in a thread of its own. */
const AFTER_COLLECTION_MS = 100

export interface IdleMemoryHost {
  /** Ever, of all clients. */
  commands(): number
  /** Resident memory that neither V8's heap nor a buffer takes. */
  unusedBytes(): number
  /** All in one go. */
  trim(): boolean
  /** A slice of a pass that gives back so much at most; true while it is not over. */
  trimSome(bytesMax: number, usMax: number): boolean
  collectGarbage(): void
  /** Calls `work` later. */
  later(work: () => void, ms: number): NodeJS.Timeout
  /** What a piece of work kept others waiting for. */
  took(ms: number): void
  nowUs(): number
}

function unusedBytes(): number {
  const { rss, heapTotal, external } = process.memoryUsage()
  return (anonymousBytes() ?? rss) - heapTotal - external
}

/** Without pages of the store's file, which the system takes back when it wants; undefined where it tells none. */
function anonymousBytes(): number | undefined {
  try {
    const kib = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]
    return kib === undefined ? undefined : Number(kib) * 1024
  } catch {
    return undefined
  }
}

/** V8 has no other door to a collection than the function that this flag brings into contexts made from then on. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}

const SYSTEM = {
  unusedBytes,
  trim: trimHeap,
  trimSome: trimHeapSome,
  collectGarbage,
  later: (work: () => void, ms: number) => setTimeout(work, ms).unref(),
}

export class IdleMemory {
  readonly #host: IdleMemoryHost
  #commands = 0
  /** Unused memory when it was last given back, or less since: all of it, and the large pieces. */
  #lowBytes = 0
  #busyLowBytes = 0
  #timer: NodeJS.Timeout | undefined
  /** Of the pass that is going on. */
  #passTimer: NodeJS.Timeout | undefined

  constructor(host: Omit<IdleMemoryHost, keyof typeof SYSTEM> & Partial<IdleMemoryHost>) {
    this.#host = { ...SYSTEM, ...host }
  }

  look(): void {
    const host = this.#host
    const commands = host.commands()
    const isQuiet = Math.abs(commands - this.#commands) <= QUIET_COMMANDS_MAX
    this.#commands = commands
    if (this.#passTimer !== undefined) return
    const bytes = host.unusedBytes()
    this.#lowBytes = Math.min(this.#lowBytes, bytes)
    this.#busyLowBytes = Math.max(this.#lowBytes, Math.min(this.#busyLowBytes, bytes) - SINK_BYTES)
    if (isQuiet && bytes - this.#lowBytes >= STEP_BYTES) return this.#pass(Infinity)
    const busyBytes = bytes - this.#busyLowBytes
    if (!isQuiet && busyBytes >= BUSY_STEP_BYTES) this.#pass(busyBytes - BUSY_STEP_BYTES / 2)
  }

  /** Looks for garbage now, and gives back whatever is free soon after. */
  purge(): void {
    this.#host.collectGarbage()
    if (this.#passTimer !== undefined) clearTimeout(this.#passTimer)
    this.#passTimer = this.#host.later(() => this.#pass(Infinity), AFTER_COLLECTION_MS)
  }

  start(): void {
    this.#lowBytes = this.#host.unusedBytes()
    this.#busyLowBytes = this.#lowBytes
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    clearTimeout(this.#passTimer)
  }

  /** @param bytesMax Infinity for all, the small pieces as well */
  #pass(bytesMax: number): void {
    const host = this.#host
    const more = this.#timed(() => host.trimSome(Math.min(bytesMax, Number.MAX_SAFE_INTEGER), SLICE_US))
    if (more) {
      this.#passTimer = host.later(() => this.#pass(bytesMax), SLICE_PAUSE_MS)
      return
    }
    this.#passTimer = undefined
    // What is left for it is little.
    if (bytesMax === Infinity) this.#timed(() => host.trim())
    const bytes = host.unusedBytes()
    if (bytesMax === Infinity) this.#lowBytes = bytes
    this.#busyLowBytes = bytes - this.#lowBytes > BUSY_STEP_BYTES * 0.75 ? bytes : this.#lowBytes
  }

  #timed(work: () => boolean): boolean {
    const fromUs = this.#host.nowUs()
    const result = work()
    this.#host.took((this.#host.nowUs() - fromUs) / 1000)
    return result
  }
}
