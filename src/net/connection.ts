// One client's socket: feeds the parser, hands each request to the handler, sends what the handler gives. Knows nothing
// of commands. A handler that says 'stop' stops the parsing; what still arrives is kept up to
// client-query-buffer-limit.
//
// Invariants: (1) the handler's onClose is the last call it gets, and never comes from inside a call of its own; (2) no
// error of the socket leaves this file; (3) the parser is fed before, never during, the handling of a request.

import { isAllocationFailure } from '../base/allocation.js'
import type { ClientHandler, ParserLimits, Transport } from '../exec/transport.js'
import { Watch, type Reactor, type SocketUser } from '../native/reactor.js'
import { receiveNow } from '../native/socket-now.js'
import { shutDown } from '../native/socket-send.js'
import { RequestParser } from '../resp/request-parser.js'
import { OutputQueue } from './output-queue.js'

/** Counted by connections and listener; the server's Stats fit. */
export interface NetCounters {
  netInputBytes: number
  netOutputBytes: number
  connectionsReceived: number
  rejectedConnections: number
}

/** What all connections of a listener share. */
export interface ConnectionHost {
  readonly counters: NetCounters
  readonly reactor: Reactor
  /** Whole seconds, counted up by the listener: a clock that costs nothing to read. */
  readonly second: number
  /** The connection is gone. */
  closed(connection: Connection): void
}

/** What is known of a socket before it becomes a connection. */
export interface AcceptedSocket {
  readonly fd: number
  /** As in Transport. */
  readonly address: string
  readonly localAddress: string
  readonly unix: boolean
}

export class Connection implements Transport, SocketUser {
  readonly fd: number
  readonly address: string
  readonly localAddress: string
  readonly unix: boolean
  /** Second of the host in which something was last received or sent. */
  lastActiveSecond: number
  closed = false

  readonly #host: ConnectionHost
  readonly #parser: RequestParser
  readonly #output: OutputQueue
  #queryBytesMax: number
  #handler: ClientHandler = NO_HANDLER
  #slot = NO_SLOT
  #stopped = false
  #parsing = false
  /** resume() was called from inside onRequest. */
  #resumed = false
  /** Nothing more is read or parsed: a fault, endAfterSend, or the end. */
  #ending = false
  /** To be closed when everything has been sent. */
  #endsAfterSend = false
  #inputEnded = false
  #paused = false

  constructor(accepted: AcceptedSocket, host: ConnectionHost, limits: ParserLimits) {
    this.#host = host
    this.#parser = new RequestParser(limits.bulkBytesMax)
    this.#parser.unauthenticated = limits.unauthenticated
    this.#queryBytesMax = limits.queryBytesMax
    this.#output = new OutputQueue(accepted.fd)
    this.lastActiveSecond = host.second
    this.fd = accepted.fd
    this.unix = accepted.unix
    this.address = accepted.address
    this.localAddress = accepted.localAddress
  }

  /** Begins reading. The handler is told everything from here on. Owns the descriptor from now on. */
  start(handler: ClientHandler): void {
    this.#handler = handler
    const slot = this.#host.reactor.add(this.fd, this)
    if (slot < 0) return this.destroy()
    this.#slot = slot
    this.#watch()
  }

  get unsentBytes(): number {
    return this.#output.bytes
  }
  get unsentChunks(): number {
    return this.#output.pieces
  }
  get bufferedInputBytes(): number {
    return this.#parser.bufferedBytes
  }
  get freeInputBytes(): number {
    return this.#parser.freeBytes
  }
  /** True when Redis' `timeout` may end this connection. */
  get idle(): boolean {
    return this.#handler.mayIdle?.() !== true
  }

  send(chunks: Buffer[]): void {
    if (this.#slot < 0 || this.#endsAfterSend || chunks.length === 0) return
    this.lastActiveSecond = this.#host.second
    let bytes = 0
    for (let i = 0; i < chunks.length; i++) bytes += chunks[i].length
    this.#host.counters.netOutputBytes += bytes
    const waited = this.#output.bytes > 0
    if (!this.#output.send(chunks, bytes)) return this.destroy()
    if (this.#output.bytes > 0 && !waited) this.#watch()
  }

  resume(): void {
    this.#resumed = true
    if (!this.#stopped) return
    this.#stopped = false
    this.#parse()
  }

  destroy(): void {
    if (this.#slot === GONE) return
    this.#ending = true
    if (this.#slot >= 0) this.#host.reactor.close(this.#slot)
    this.#slot = GONE
    this.#output.clear()
    process.nextTick(() => this.#gone())
  }

  endAfterSend(): void {
    this.#ending = true
    if (this.#slot < 0) return
    this.#endsAfterSend = true
    if (this.#output.bytes > 0) return this.#watch()
    // The peer reads to the end of what was sent even if it has sent something that nobody read.
    shutDown(this.fd)
    this.destroy()
  }

  pauseReading(paused = true): void {
    this.#paused = paused
    this.#watch()
  }

  #watch(): void {
    if (this.#slot < 0) return
    const reads = !this.#paused && !this.#ending && !this.#inputEnded
    const writes = this.#output.bytes > 0
    this.#host.reactor.watch(this.#slot, (reads ? Watch.Read : Watch.None) | (writes ? Watch.Write : Watch.None))
  }

  setParserLimits(limits: Partial<ParserLimits>): void {
    if (limits.bulkBytesMax !== undefined) this.#parser.bulkBytesMax = limits.bulkBytesMax
    if (limits.unauthenticated !== undefined) this.#parser.unauthenticated = limits.unauthenticated
    if (limits.queryBytesMax !== undefined) this.#queryBytesMax = limits.queryBytesMax
  }

  /**
   * Looks by itself for what has arrived, without the event loop, and has it handled. Nothing while a command of this
   * connection runs. `buffer` is written to.
   */
  receiveNow(buffer: Buffer): void {
    if (this.#parsing || this.#ending || this.#stopped || this.#slot < 0) return
    const length = receiveNow(this.fd, buffer)
    // An end or a failure is left to the event loop, which meets it as well.
    if (length > 0) this.received(buffer, 0, length)
  }

  received(bytes: Buffer, from: number, to: number): void {
    if (this.#ending) return
    this.lastActiveSecond = this.#host.second
    this.#host.counters.netInputBytes += to - from
    try {
      this.#parser.feed(bytes, from, to)
    } catch (error) {
      return this.#noMemory(error)
    }
    if (!this.#stopped) this.#parse()
    try {
      this.#parser.settle()
    } catch (error) {
      return this.#noMemory(error)
    }
    const buffered = this.#parser.bufferedBytes
    if (buffered > this.#queryBytesMax) this.destroy()
    else if (buffered > 0) this.#handler.onPartialInput?.()
  }

  /** For what it has sent there is no room: this client goes, the others stay. */
  #noMemory(error: unknown): void {
    if (!isAllocationFailure(error)) throw error
    if (this.#stopped) return this.destroy()
    this.#ending = true
    this.#watch()
    this.#handler.onFault('the system gives no memory for the rest of this command')
  }

  #parse(): void {
    if (this.#parsing) return
    this.#parsing = true
    const parser = this.#parser
    while (!this.#stopped && !this.#ending) {
      const request = parser.next()
      if (request === undefined) break
      this.#resumed = false
      if (this.#handler.onRequest(request) === 'stop') this.#stopped = !this.#resumed
    }
    this.#parsing = false
    if (parser.fault !== undefined && !this.#stopped && !this.#ending) {
      this.#ending = true
      this.#watch()
      this.#handler.onFault(parser.fault)
    }
  }

  ended(): void {
    this.#inputEnded = true
    if (this.#ending) return
    if (this.#handler.onInputEnd !== undefined) this.#handler.onInputEnd()
    else setImmediate(() => this.endAfterSend())
  }

  broke(): void {
    this.destroy()
  }

  writable(): void {
    const before = this.#output.bytes
    if (!this.#output.flush()) return this.destroy()
    const left = this.#output.bytes
    if (left === 0) {
      if (this.#endsAfterSend) return this.endAfterSend()
      this.#watch()
    }
    if (left < before) this.#handler.onDrain?.()
  }

  #gone(): void {
    this.closed = true
    this.#handler.onClose()
    this.#host.closed(this)
  }
}

/** Slots of a connection that has not begun, and of one whose descriptor is closed. */
const NO_SLOT = -1
const GONE = -2

function ignore(): void {}

const NO_HANDLER: ClientHandler = { onRequest: () => 'stop', onFault: ignore, onClose: ignore }
