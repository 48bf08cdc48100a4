// Bytes of one event, the same in a day bucket and in a stream. Used by: redis-store, streams-store.
//
// offset  size  field
//      0     6  created_at in ms, big-endian
//      6     1  bytes of the message id
//      7     n  message id, UTF-8
//    7+n     .  payload
// A member of a day bucket is 16 hex digits of mailbox_seq, 8 hex digits of the ordinal, then the body.

import type { MailboxEvent } from './event-group.js'
import { CorruptEntry } from './mailbox-error.js'
import { formatSeq, parseSeq } from './mailbox-seq.js'
import type { MailboxSeq } from './mailbox-seq.js'

const AT = { CREATED: 0, ID_LENGTH: 6, ID: 7 } as const
const CREATED_BYTES = 6
const SEQ_DIGITS = 16
const ORDINAL_DIGITS = 8
const HEAD_DIGITS = SEQ_DIGITS + ORDINAL_DIGITS

export function encodeBody(event: MailboxEvent): Buffer {
  const id = Buffer.from(event.messageId)
  const body = Buffer.allocUnsafe(AT.ID + id.length + event.payload.length)
  body.writeUIntBE(event.createdAtMs, AT.CREATED, CREATED_BYTES)
  body[AT.ID_LENGTH] = id.length
  id.copy(body, AT.ID)
  event.payload.copy(body, AT.ID + id.length)
  return body
}

/** @throws CorruptEntry when the body is shorter than it says; `place` names it */
export function decodeBody(body: Buffer, ordinal: number, place: string): MailboxEvent {
  const payloadAt = AT.ID + body[AT.ID_LENGTH]
  if (body.length < AT.ID || body.length < payloadAt) throw new CorruptEntry(`${place}: an event is cut short`)
  return {
    ordinal,
    createdAtMs: body.readUIntBE(AT.CREATED, CREATED_BYTES),
    messageId: body.toString('utf8', AT.ID, payloadAt),
    payload: body.subarray(payloadAt),
  }
}

export function encodeMember(seq: MailboxSeq, event: MailboxEvent): Buffer {
  const head = formatSeq(seq) + event.ordinal.toString(16).padStart(ORDINAL_DIGITS, '0')
  return Buffer.concat([Buffer.from(head, 'latin1'), encodeBody(event)])
}

export function decodeMember(
  member: Buffer,
  place: string,
): { readonly seq: MailboxSeq; readonly event: MailboxEvent } {
  const head = member.toString('latin1', 0, HEAD_DIGITS)
  if (!/^[0-9a-f]{24}$/.test(head)) throw new CorruptEntry(`${place}: a member of a day bucket has no head`)
  const ordinal = Number.parseInt(head.slice(SEQ_DIGITS), 16)
  return { seq: parseSeq(head.slice(0, SEQ_DIGITS)), event: decodeBody(member.subarray(HEAD_DIGITS), ordinal, place) }
}
