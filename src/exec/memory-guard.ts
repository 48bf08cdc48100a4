// maxmemory: what is used, and what is done about it before a command runs. First clean pages leave memory, which
// loses nothing; then keys are evicted, if maxmemory-policy allows any; if neither helps, commands that need more are
// refused.
// Used by: admission (each command), server.ts (configuration), INFO.
//
// Used memory is counted, not measured: what the cache holds, what it cannot hold (directory, changed values), clients
// and Lua. Every part is a running sum, so the question costs a few additions; the heap of the engine would answer only
// after a garbage collection. It leaves out what does not grow with data or clients.

import type { Clock } from '../base/clock.js'
import type { PageCache } from '../store/rows.js'
import type { Database, KeyEntry, Keyspace } from '../types/keyspace.js'
import type { ClientMemory } from './client-memory.js'
import type { Eviction } from './eviction.js'

export interface MemoryHost {
  readonly clock: Clock
  readonly clients: ClientMemory
  readonly eviction: Eviction
  keyspace(): Keyspace
  cache(): PageCache
  luaBytes(): number
  /** False while no key may go: loading, a pause, a script that is being waited for, a journal that takes no writes. */
  mayEvict(): boolean
  /** Runs work between commands. */
  background(work: () => void): void
  /** Removes a key for want of memory. */
  evict(choice: { db: Database; entry: KeyEntry }): void
  /** Changed values should become clean soon. */
  wantCheckpoint(): void
  /** Notes how long an eviction took, by the event's name. */
  took(event: string, ms: number): void
}

/** 'more' when time was up and the rest follows; 'none' when too little could go. */
type Relief = 'enough' | 'more' | 'none'

/** How often the sums are corrected that nothing reports by itself. */
const LOOK_MS = 100
/** Keys between two looks at the clock. */
const KEYS_PER_LOOK = 16

export class MemoryGuard {
  /** The limit was passed when the last command came, and nothing could be done about it. */
  full = false
  /** Highest figure seen. */
  peakBytes = 0
  /** maxmemory-eviction-tenacity, 0 to 100. */
  tenacity = 10
  readonly #host: MemoryHost
  #bytesMax = 0
  #luaBytes = 0
  #timer: NodeJS.Timeout | undefined
  #goingOn: NodeJS.Immediate | undefined
  /** Since when the limit has been passed, monotonic; 0 while it is not. */
  #exceededSinceUs = 0
  #exceededUs = 0
  /**
   * What clients were told of evictions since the last look: it takes memory until it is sent, and counting that would
   * evict key upon key.
   */
  #toldBytes = 0

  constructor(host: MemoryHost) {
    this.#host = host
  }

  /** maxmemory; 0 for none. What is too much goes soon, not within the running command. */
  set bytesMax(bytes: number) {
    this.#bytesMax = bytes
    if (bytes === 0) this.#settle(false)
    this.#watch()
    if (bytes > 0) this.#goOn()
  }

  get bytesMax(): number {
    return this.#bytesMax
  }

  /** maxmemory-clients, or a negative percentage of maxmemory. */
  set clientsMax(bytesOrPercent: number) {
    const { clients } = this.#host
    clients.bytesMax = bytesOrPercent < 0 ? Math.floor((this.#bytesMax * -bytesOrPercent) / 100) : bytesOrPercent
    this.#watch()
  }

  /** Bytes in use, as INFO says them. */
  get usedBytes(): number {
    const { clients } = this.#host
    if (!clients.active) {
      clients.noteAll()
      this.#luaBytes = this.#host.luaBytes()
    }
    const used = this.#used()
    if (used > this.peakBytes) this.peakBytes = used
    return used
  }

  get exceededTotalMs(): number {
    return Math.floor((this.#exceededUs + this.#exceededNowUs) / 1000)
  }

  get exceededNowMs(): number {
    return Math.floor(this.#exceededNowUs / 1000)
  }

  /**
   * Before a command: makes room if too much is used. True when that failed, so that nothing may grow. Only asked when
   * there is a limit.
   */
  makeRoom(): boolean {
    if (this.#excessBytes <= 0) return this.full && this.#settle(false)
    return this.#host.mayEvict() && this.#settle(this.#relieve() === 'none')
  }

  stop(): void {
    clearInterval(this.#timer)
    clearImmediate(this.#goingOn)
    this.#host.clients.stop()
  }

  #used(): number {
    return this.#dataBytes + this.#host.clients.bytes + this.#luaBytes
  }

  /** What must go. */
  get #excessBytes(): number {
    return this.#used() - this.#toldBytes - this.#bytesMax
  }

  get #dataBytes(): number {
    const cache = this.#host.cache()
    return cache.bytesUsed + cache.heldBytes
  }

  get #exceededNowUs(): number {
    return this.#exceededSinceUs === 0 ? 0 : this.#host.clock.monotonicUs() - this.#exceededSinceUs
  }

  #settle(full: boolean): boolean {
    this.full = full
    if (full || this.#goingOn !== undefined) {
      if (this.#exceededSinceUs === 0) this.#exceededSinceUs = this.#host.clock.monotonicUs()
    } else {
      this.#exceededUs += this.#exceededNowUs
      this.#exceededSinceUs = 0
    }
    return full
  }

  /** Clean pages, then keys. */
  #relieve(): Relief {
    const { clients, eviction } = this.#host
    this.#host.cache().shed(this.#excessBytes)
    if (this.#excessBytes <= 0) return 'enough'
    if (eviction.policy === 'noeviction') {
      this.#host.wantCheckpoint()
      return 'none'
    }
    const startUs = this.#host.clock.monotonicUs()
    const clientBytes = clients.bytes
    const outcome: { result: Relief } = { result: 'enough' }
    this.#host.background(() => (outcome.result = this.#evictKeys(startUs + this.#patienceUs)))
    this.#toldBytes += Math.max(0, clients.bytes - clientBytes)
    this.#host.took('eviction-cycle', (this.#host.clock.monotonicUs() - startUs) / 1000)
    if (outcome.result === 'more') this.#goOn()
    return outcome.result
  }

  /** Evicts as much data as is too much now. */
  #evictKeys(untilUs: number): Relief {
    const { clock, eviction } = this.#host
    const dataBytesMax = this.#dataBytes - this.#excessBytes
    let evicted = 0
    while (this.#dataBytes > dataBytesMax) {
      const choice = eviction.choose(this.#host.keyspace())
      if (choice === undefined) return 'none'
      this.#host.evict(choice)
      if (++evicted % KEYS_PER_LOOK === 0 && clock.monotonicUs() > untilUs) return 'more'
    }
    return 'enough'
  }

  /** How long a command may wait for others to be evicted: to 500 us by the tenth, then by 15 % for each. */
  get #patienceUs(): number {
    if (this.tenacity <= 10) return 50 * this.tenacity
    return this.tenacity < 100 ? 500 * 1.15 ** (this.tenacity - 10) : Infinity
  }

  #goOn(): void {
    this.#goingOn ??= setImmediate(() => {
      this.#goingOn = undefined
      if (this.#bytesMax > 0) this.makeRoom()
    })
  }

  #watch(): void {
    const { clients } = this.#host
    clients.active = this.#bytesMax > 0 || clients.bytesMax > 0
    clearInterval(this.#timer)
    this.#timer = undefined
    if (!clients.active) return
    this.#look()
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
    this.#timer.unref()
  }

  #look(): void {
    this.#host.clients.noteAll()
    this.#luaBytes = this.#host.luaBytes()
    this.#toldBytes = 0
    const used = this.#used()
    if (used > this.peakBytes) this.peakBytes = used
    if (this.#bytesMax > 0 && used > this.#bytesMax) this.#goOn()
  }
}
