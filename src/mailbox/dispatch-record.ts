// One entry of a dispatch log: what was committed, and the events it gives each recipient. Used by: dispatch logs,
// materializer.
//
// Body, all numbers big-endian: u32 recipients; each u16 bytes of the user, the user, u16 events; each event u32
// ordinal, u8 bytes of the message id, the id, u32 bytes of the payload, the payload.

import { EVENTS_MAX, MESSAGE_ID_BYTES_MAX, ORDINAL_MAX } from './event-group.js'
import type { EventGroup } from './event-group.js'
import { BadGroup, CorruptEntry } from './mailbox-error.js'
import type { MailboxSeq } from './mailbox-seq.js'

export const USER_BYTES_MAX = 0xffff
export const DISPATCH_ID_BYTES_MAX = 255

export interface RecipientEvent {
  readonly ordinal: number
  readonly messageId: string
  readonly payload: Buffer
}

export interface Recipient {
  readonly user: string
  readonly events: readonly RecipientEvent[]
}

/** What a producer appends. */
export interface Dispatch {
  /** The same for the same dispatch however often it is appended. */
  readonly dispatchId: string
  /** created_at of all its events; it never changes. */
  readonly committedAtMs: number
  /** Each user once. */
  readonly recipients: readonly Recipient[]
}

export interface DispatchRecord extends Dispatch {
  readonly logOffset: number
}

export function groupOf(record: DispatchRecord, recipient: Recipient, shard: number, seq: MailboxSeq): EventGroup {
  const createdAtMs = record.committedAtMs
  return { shard, user: recipient.user, seq, events: recipient.events.map(event => ({ ...event, createdAtMs })) }
}

/** @throws BadGroup when no mailbox could take it: a producer learns it before the log does */
export function checkedDispatch(dispatch: Dispatch): Dispatch {
  const { dispatchId, recipients, committedAtMs } = dispatch
  const idBytes = Buffer.byteLength(dispatchId)
  if (idBytes === 0 || idBytes > DISPATCH_ID_BYTES_MAX) {
    throw new BadGroup(`a dispatch id has 1 to ${DISPATCH_ID_BYTES_MAX} bytes`)
  }
  if (!Number.isSafeInteger(committedAtMs) || committedAtMs < 0) {
    throw new BadGroup(`dispatch ${dispatchId}: committed_at ${committedAtMs} is no time in milliseconds`)
  }
  const users = new Set(recipients.map(({ user }) => user))
  if (users.size !== recipients.length) throw new BadGroup(`dispatch ${dispatchId}: a user appears twice`)
  for (const { user, events } of recipients) {
    const bytes = Buffer.byteLength(user)
    if (bytes === 0 || bytes > USER_BYTES_MAX) throw new BadGroup(`dispatch ${dispatchId}: a user has no usable name`)
    if (events.length === 0 || events.length > EVENTS_MAX) {
      throw new BadGroup(`dispatch ${dispatchId}: ${events.length} events for ${user}, not 1 to ${EVENTS_MAX}`)
    }
    if (new Set(events.map(({ ordinal }) => ordinal)).size !== events.length) {
      throw new BadGroup(`dispatch ${dispatchId}: an ordinal appears twice for ${user}`)
    }
    for (const { ordinal, messageId } of events) {
      if (!Number.isSafeInteger(ordinal) || ordinal < 0 || ordinal > ORDINAL_MAX) {
        throw new BadGroup(`dispatch ${dispatchId}: ordinal ${ordinal} is no u32`)
      }
      if (Buffer.byteLength(messageId) > MESSAGE_ID_BYTES_MAX) {
        throw new BadGroup(`dispatch ${dispatchId}: a message id is longer than ${MESSAGE_ID_BYTES_MAX} bytes`)
      }
    }
  }
  return dispatch
}

export function encodeRecipients(recipients: readonly Recipient[]): Buffer {
  const parts: Buffer[] = [uint(recipients.length, 4)]
  for (const { user, events } of recipients) {
    const name = Buffer.from(user)
    parts.push(uint(name.length, 2), name, uint(events.length, 2))
    for (const { ordinal, messageId, payload } of events) {
      const id = Buffer.from(messageId)
      parts.push(uint(ordinal, 4), uint(id.length, 1), id, uint(payload.length, 4), payload)
    }
  }
  return Buffer.concat(parts)
}

/** @throws CorruptEntry when it is cut or has bytes behind its end; `place` names the record */
export function decodeRecipients(body: Buffer, place: string): Recipient[] {
  let at = 0
  const bytes = (length: number): Buffer => {
    if (at + length > body.length) throw new CorruptEntry(`${place}: the record is cut short`)
    at += length
    return body.subarray(at - length, at)
  }
  const number = (length: number): number => bytes(length).readUIntBE(0, length)
  const recipients: Recipient[] = []
  for (let left = number(4); left > 0; left--) {
    const user = bytes(number(2)).toString()
    const events: RecipientEvent[] = []
    for (let more = number(2); more > 0; more--) {
      const ordinal = number(4)
      const messageId = bytes(number(1)).toString()
      events.push({ ordinal, messageId, payload: bytes(number(4)) })
    }
    recipients.push({ user, events })
  }
  if (at !== body.length) throw new CorruptEntry(`${place}: the record has ${body.length - at} bytes too many`)
  return recipients
}

function uint(value: number, bytes: number): Buffer {
  const out = Buffer.allocUnsafe(bytes)
  out.writeUIntBE(value, 0, bytes)
  return out
}
