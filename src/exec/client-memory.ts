// What all clients hold together: buffers, queued commands, watched keys, subscriptions. Kept as a running sum,
// corrected for a client whenever it did something, so that a look costs nothing. maxmemory-clients: above it the
// largest clients are closed. Used by: memory-guard (part of used memory), executor, INFO.
//
// Invariants: (1) the sums are those of the figures noted in the sessions; (2) clients are closed between commands
// only.

import type { Log } from '../base/log.js'
import type { ClientSession } from './session.js'
import type { SessionRegistry } from './session-registry.js'

export interface ClientMemoryHost {
  readonly sessions: SessionRegistry
  readonly log: Log | undefined
  /** A client was closed to bring memory back. */
  evicted(): void
}

export class ClientMemory {
  /** Bytes of all clients, as last noted. */
  bytes = 0
  /** Whether anybody needs the sums at every moment; otherwise they are brought up to date when asked for. */
  active = false
  readonly #host: ClientMemoryHost
  /** Bytes of those clients that may be closed. */
  #evictableBytes = 0
  #bytesMax = 0
  #scheduled: NodeJS.Immediate | undefined

  constructor(host: ClientMemoryHost) {
    this.#host = host
  }

  /** maxmemory-clients in bytes; 0 for none. */
  set bytesMax(bytes: number) {
    this.#bytesMax = bytes
    this.noteAll()
  }

  get bytesMax(): number {
    return this.#bytesMax
  }

  get over(): boolean {
    return this.#bytesMax > 0 && this.#evictableBytes > this.#bytesMax
  }

  /** Corrects the sums for a client that did something. */
  note(session: ClientSession): void {
    const bytes = session.memoryBytes
    const evictable = session.noEvict ? 0 : bytes
    this.bytes += bytes - session.notedBytes
    this.#evictableBytes += evictable - session.notedEvictableBytes
    session.notedBytes = bytes
    session.notedEvictableBytes = evictable
    if (this.over) this.#scheduled ??= setImmediate(() => this.enforce())
  }

  /** The client has gone, whether anybody needs the sums or not. */
  forget(session: ClientSession): void {
    this.bytes -= session.notedBytes
    this.#evictableBytes -= session.notedEvictableBytes
    session.notedBytes = session.notedEvictableBytes = 0
  }

  noteAll(): void {
    for (const session of this.#host.sessions) this.note(session)
  }

  /** Closes the largest clients until the others keep to the limit. */
  enforce(): void {
    clearImmediate(this.#scheduled)
    this.#scheduled = undefined
    if (!this.over) return
    const largestFirst = Array.from(this.#host.sessions).sort((a, b) => b.notedEvictableBytes - a.notedEvictableBytes)
    for (const session of largestFirst) {
      if (!this.over || session.notedEvictableBytes === 0) return
      this.#host.log?.notice(
        `Evicting client id=${session.id} addr=${session.address}: it holds ${session.notedBytes} bytes, and clients ` +
          'together more than maxmemory-clients.',
      )
      this.#host.evicted()
      session.close('now')
      this.note(session)
    }
  }

  stop(): void {
    clearImmediate(this.#scheduled)
  }
}
