// One conversation with another server while everything else stands still. Used by: server.ts, for MIGRATE. Has no
// twin: Node cannot wait for a socket.

import { addon } from './addon.js'

/** By native/src/peer_exchange.h's numbers. */
const FAILED = [undefined, 'connecting', 'writing', 'reading', undefined] as const

export interface Exchange {
  /** The step that failed or took too long; undefined when all of it was done. */
  readonly failed: 'connecting' | 'writing' | 'reading' | undefined
  /** What the other side had answered by then. */
  readonly reply: Buffer
}

/**
 * Sends `request` to the server at host:port and reads until `lines` lines have come. Blocks the thread, each step for
 * at most `timeoutMs`.
 */
export function exchange(host: string, port: number, timeoutMs: number, request: Buffer, lines: number): Exchange {
  if (addon === undefined) return { failed: 'connecting', reply: Buffer.alloc(0) }
  const answer = addon.exchange(Buffer.from(host, 'latin1'), port, timeoutMs, request, lines)
  return { failed: FAILED[answer[0]], reply: answer.subarray(1) }
}
