// One client's socket: feeds the parser, hands each request to the handler, sends what the handler gives. Knows nothing
// of commands. A handler that says 'stop' stops the parsing; what still arrives is kept up to
// client-query-buffer-limit.
//
// Invariants: (1) the handler's onClose is the last call it gets; (2) no error of the socket leaves this file; (3) the
// parser is fed before, never during, the handling of a request.

import type { Socket } from 'node:net'
import type { ClientHandler, ParserLimits, Transport } from '../exec/transport.js'
import { sendPieces } from '../native/socket-send.js'
import { receiveNow } from '../native/socket-now.js'
import { RequestParser } from '../resp/request-parser.js'
import { readIntoSharedBuffer } from './shared-read-buffer.js'

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
  /** Whole seconds, counted up by the listener: a clock that costs nothing to read. */
  readonly second: number
  /** The connection is gone. */
  closed(connection: Connection): void
}

export class Connection implements Transport {
  readonly address: string
  readonly localAddress: string
  readonly unix: boolean
  /** Second of the host in which something was last received or sent. */
  lastActiveSecond: number

  readonly #socket: Socket
  readonly #host: ConnectionHost
  readonly #parser: RequestParser
  #queryBytesMax: number
  #handler: ClientHandler = NO_HANDLER
  #stopped = false
  #parsing = false
  /** resume() was called from inside onRequest. */
  #resumed = false
  /** Nothing more is read or parsed: a fault, or endAfterSend. */
  #ending = false
  #closed = false
  #unsentChunks = 0

  /** `unixPath` is set for clients of the Unix socket. */
  constructor(accepted: Socket, host: ConnectionHost, limits: ParserLimits, unixPath: string | undefined) {
    const socket = readIntoSharedBuffer(accepted, (bytes, length) => this.#receive(bytes, length))
    this.#socket = socket
    this.#host = host
    this.#parser = new RequestParser(limits.bulkBytesMax)
    this.#parser.unauthenticated = limits.unauthenticated
    this.#queryBytesMax = limits.queryBytesMax
    this.lastActiveSecond = host.second
    this.unix = unixPath !== undefined
    // Asked for once: each question is a system call, and after a reset there is no answer.
    this.address = unixPath === undefined ? addressOf(socket.remoteAddress, socket.remotePort) : `${unixPath}:0`
    this.localAddress = unixPath === undefined ? addressOf(socket.localAddress, socket.localPort) : `${unixPath}:0`
  }

  /** Begins reading. The handler is told everything from here on. */
  start(handler: ClientHandler): void {
    this.#handler = handler
    const socket = this.#socket
    socket.on('end', () => this.#inputEnded())
    socket.on('drain', () => this.#drained())
    socket.on('error', ignore) // 'close' follows
    socket.on('close', () => this.#gone())
  }

  get fd(): number {
    const handle = (this.#socket as unknown as { _handle?: { fd?: number } })._handle
    return handle?.fd ?? -1
  }
  get unsentBytes(): number {
    return this.#closed ? 0 : this.#socket.writableLength
  }
  get unsentChunks(): number {
    return this.unsentBytes === 0 ? 0 : this.#unsentChunks
  }
  get bufferedInputBytes(): number {
    return this.#parser.bufferedBytes
  }
  get freeInputBytes(): number {
    return this.#parser.freeBytes
  }
  get closed(): boolean {
    return this.#closed
  }
  /** True when Redis' `timeout` may end this connection. */
  get idle(): boolean {
    return this.#handler.mayIdle?.() !== true
  }

  send(chunks: Buffer[]): void {
    const socket = this.#socket
    if (this.#closed || !socket.writable || chunks.length === 0) return
    this.lastActiveSecond = this.#host.second
    let bytes = 0
    for (let i = 0; i < chunks.length; i++) bytes += chunks[i].length
    this.#host.counters.netOutputBytes += bytes
    let sent = 0
    if (socket.writableLength === 0) {
      this.#unsentChunks = 0
      // A failure is left to the stream: it meets the same one, and ends the connection by it.
      sent = Math.max(sendPieces(this.fd, chunks), 0)
      if (sent === bytes) return
    }
    this.#sendLater(chunks, sent)
  }

  /** Hands chunks to the stream, which sends them as the kernel takes them; without the first `sent` bytes. */
  #sendLater(chunks: readonly Buffer[], sent: number): void {
    const socket = this.#socket
    let skip = sent
    socket.cork()
    for (const chunk of chunks) {
      if (skip >= chunk.length) {
        skip -= chunk.length
        continue
      }
      socket.write(skip === 0 ? chunk : chunk.subarray(skip))
      this.#unsentChunks++
      skip = 0
    }
    socket.uncork()
  }

  resume(): void {
    this.#resumed = true
    if (!this.#stopped) return
    this.#stopped = false
    this.#parse()
  }

  destroy(): void {
    this.#ending = true
    this.#socket.destroy()
  }

  endAfterSend(): void {
    this.#ending = true
    this.#socket.pause()
    this.#socket.destroySoon()
  }

  pauseReading(paused = true): void {
    if (paused) this.#socket.pause()
    else if (!this.#ending) this.#socket.resume()
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
    if (this.#parsing || this.#ending || this.#stopped || this.#closed) return
    const length = receiveNow(this.fd, buffer)
    // An end or a failure is left to the stream, which meets it as well.
    if (length > 0) this.#receive(buffer, length)
  }

  /** Takes bytes[0, length), which somebody else writes to afterwards. */
  #receive(bytes: Buffer, length: number): void {
    if (this.#ending) return
    this.lastActiveSecond = this.#host.second
    this.#host.counters.netInputBytes += length
    this.#parser.feed(bytes, length)
    if (!this.#stopped) this.#parse()
    this.#parser.settle()
    if (this.#parser.bufferedBytes > this.#queryBytesMax) this.destroy()
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
      this.#socket.pause()
      this.#handler.onFault(parser.fault)
    }
  }

  #inputEnded(): void {
    if (this.#closed) return
    if (this.#handler.onInputEnd !== undefined) this.#handler.onInputEnd()
    else setImmediate(() => this.endAfterSend())
  }

  #drained(): void {
    if (!this.#closed) this.#handler.onDrain?.()
  }

  #gone(): void {
    if (this.#closed) return
    this.#closed = true
    this.#ending = true
    this.#handler.onClose()
    this.#host.closed(this)
  }
}

function addressOf(ip: string | undefined, port: number | undefined): string {
  if (ip === undefined || port === undefined) return '?:0'
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`
}

function ignore(): void {}

const NO_HANDLER: ClientHandler = { onRequest: () => 'stop', onFault: ignore, onClose: ignore }
