// Memory that was needed once and is free now goes back to the system when nobody asks for anything: it takes too long
// to be done while clients wait. Used by: memory-control.
//
// Looked at once a second: it is worth it when what is resident and unused has grown by a step since it was last given
// back, and the moment is right when next to no command came since the look before.

import { readFileSync } from 'node:fs'
import { trimHeap } from '../native/heap-trim.js'

const LOOK_MS = 1000
/** Commands in a second that a server may have and be quiet: INFO and PING of whoever watches it. */
const QUIET_COMMANDS_MAX = 20
const STEP_BYTES = 64 * 1024 * 1024

export interface IdleMemoryHost {
  /** Ever, of all clients. */
  commands(): number
  /** Resident memory that neither V8's heap nor a buffer takes. */
  unusedBytes(): number
  trim(): boolean
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

export class IdleMemory {
  readonly #host: IdleMemoryHost
  #commands = 0
  /** Unused memory when it was last given back, or less since. */
  #lowBytes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(host: Omit<IdleMemoryHost, 'unusedBytes' | 'trim'> & Partial<IdleMemoryHost>) {
    this.#host = { unusedBytes, trim: trimHeap, ...host }
  }

  look(): void {
    const host = this.#host
    const commands = host.commands()
    const isQuiet = Math.abs(commands - this.#commands) <= QUIET_COMMANDS_MAX
    this.#commands = commands
    if (!isQuiet) return
    const bytes = host.unusedBytes()
    this.#lowBytes = Math.min(this.#lowBytes, bytes)
    if (bytes - this.#lowBytes < STEP_BYTES) return
    const fromUs = host.nowUs()
    host.trim()
    host.took((host.nowUs() - fromUs) / 1000)
    this.#lowBytes = host.unusedBytes()
  }

  start(): void {
    this.#lowBytes = this.#host.unusedBytes()
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
