// The seam between a connection (net/) and its client (exec/). Interfaces only: net/ implements Transport and calls a
// ClientHandler; exec/ implements ClientHandler and holds a Transport.

import type { Request } from '../resp/request.js'

/** What a connection tells its client. No method may throw except for broken invariants. */
export interface ClientHandler {
  /**
   * One command. `request` is valid until this returns. 'stop': parse nothing more until Transport.resume(), which may
   * already have been called from inside onRequest (then parsing simply goes on).
   */
  onRequest(request: Request): 'go-on' | 'stop'
  /**
   * The client broke the protocol: answer '-ERR <text>' and end. Nothing is parsed or read any more; the handler is
   * expected to send the error and to call Transport.endAfterSend().
   */
  onFault(text: string): void
  /**
   * The client will send nothing more, though it may still read. Redis ends such a client at once, after the replies to
   * what it sent: close once they were handed over. Without this method the connection ends in the next turn.
   */
  onInputEnd?(): void
  /** Bytes came that are no whole command yet and are kept. */
  onPartialInput?(): void
  /** Some of the output left; `unsentBytes` has become smaller. For streaming replies and output limits. */
  onDrain?(): void
  /**
   * True while Redis' `timeout` does not apply: blocked and subscribed clients. Without it the timeout always applies.
   */
  mayIdle?(): boolean
  /** The connection is gone, for whatever reason; called exactly once. Nothing can be sent any more. */
  onClose(): void
}

/** Limits of the request parser; may change at run time. */
export interface ParserLimits {
  /** proto-max-bulk-len. */
  bulkBytesMax: number
  /** client-query-buffer-limit: bytes received but not yet executed; above it the connection is closed. */
  queryBytesMax: number
  /** Redis' small limits for clients that have not authenticated: 10 arguments of at most 16 KiB. */
  unauthenticated: boolean
}

/** What a client can do to its connection. Everything is harmless after the connection's end. */
export interface Transport {
  /** 'ip:port' ('[ip]:port' for IPv6) of the peer; '<path>:0' for a Unix socket. */
  readonly address: string
  readonly localAddress: string
  readonly unix: boolean
  /** Numeric file descriptor for CLIENT LIST, -1 when unknown. */
  readonly fd: number
  /** Sends the chunks in order by one writev. The bytes must never change afterwards; nothing is copied. */
  send(chunks: Buffer[]): void
  /** Goes on parsing after 'stop'. What has been buffered is parsed at once, from inside this call. */
  resume(): void
  /** Ends at once; unsent output is lost. */
  destroy(): void
  /** Reads nothing more, sends what was handed over, then ends. */
  endAfterSend(): void
  /** Stops (or, with false, resumes) reading from the socket: back-pressure without bound for the peer. */
  pauseReading(paused?: boolean): void
  setParserLimits(limits: Partial<ParserLimits>): void
  /** Output handed over that has not reached the kernel. */
  readonly unsentBytes: number
  readonly unsentChunks: number
  /** Bytes received and not yet handed to onRequest. */
  readonly bufferedInputBytes: number
  /** Room in the input buffer beyond those bytes. */
  readonly freeInputBytes: number
  readonly closed: boolean
}
