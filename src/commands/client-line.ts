// One line of CLIENT LIST, and the kinds of clients that CLIENT LIST and CLIENT KILL select by.

import { redirectionOf } from './client-tracking.js'
import type { Server, Session, TrackingState } from './server.js'

/** Redis reports the size of its fixed reply buffer here; ours has none, and tools only read the sum. */
const REPLY_BUFFER_BYTES = 0

export type ClientType = 'normal' | 'master' | 'replica' | 'pubsub'

/** The type a word means, in any case; undefined when it is none. */
export function clientTypeOf(word: string): ClientType | undefined {
  const lower = word.toLowerCase()
  if (lower === 'slave') return 'replica'
  return lower === 'normal' || lower === 'master' || lower === 'replica' || lower === 'pubsub' ? lower : undefined
}

export function typeOfSession(session: Session): ClientType {
  if (session.following) return 'replica'
  return session.subscriber ? 'pubsub' : 'normal'
}

function flagsOf(session: Session): string {
  let flags = ''
  if (session.following) flags += 'S'
  if (session.monitoring) flags += 'O'
  if (typeOfSession(session) === 'pubsub') flags += 'P'
  if (session.inMulti) flags += 'x'
  if (session.blocked) flags += 'b'
  if (session.tracking !== undefined) flags += trackingFlags(session.tracking)
  if (session.watchBroken) flags += 'd'
  if (session.closing) flags += 'c'
  if (session.address.startsWith('/')) flags += 'U'
  if (session.noEvict) flags += 'e'
  if (session.noTouch) flags += 'T'
  return flags === '' ? 'N' : flags
}

function trackingFlags({ broken, broadcast }: TrackingState): string {
  return `t${broken ? 'R' : ''}${broadcast ? 'B' : ''}`
}

/**
 * The line without its end.
 * @param requestBytes bytes of the command being executed, for the client that asks; 0 for others
 */
export function clientLine(server: Server, session: Session, requestBytes: number): string {
  const seconds = (sinceMs: number) => Math.max(0, Math.floor((server.clock.nowMs() - sinceMs) / 1000))
  return (
    `id=${session.id} addr=${session.address} laddr=${session.localAddress} fd=${session.fd ?? -1} ` +
    `name=${session.name} age=${seconds(session.createdAtMs)} idle=${seconds(session.lastInteractionMs)} ` +
    `flags=${flagsOf(session)} db=${session.databaseIndex} sub=${session.subscriptions} ` +
    `psub=${session.patternSubscriptions} ssub=${session.shardSubscriptions} multi=${session.multiCount} ` +
    `qbuf=${session.queryBufferBytes + requestBytes} qbuf-free=${session.queryBufferFreeBytes} ` +
    `argv-mem=${requestBytes} multi-mem=0 rbs=${REPLY_BUFFER_BYTES} rbp=${REPLY_BUFFER_BYTES} obl=0 ` +
    `oll=${session.outputChunks} omem=${session.outputBytes} tot-mem=${session.memoryBytes} ` +
    `events=${session.outputBytes > 0 ? 'rw' : 'r'} ` +
    `cmd=${session.lastCommand} user=${session.account.name} redir=${redirectionOf(session)} ` +
    `resp=${session.protocol} lib-name=${session.libName} lib-ver=${session.libVersion}`
  )
}
