// mailbox_seq: where an event stands in the history of a logical shard. Used by: everything of this layer.
//
// bits 63..48 shard_epoch, bits 47..0 log_offset; compared as one unsigned number, so a later epoch is always greater
// although its offsets may begin anew. As text 16 lower-case hex digits: byte order is numeric order.

import { Malformed, SeqOverflow } from './mailbox-error.js'

export type MailboxSeq = bigint & { readonly unit: 'mailbox-seq' }

/** First epoch a registry gives out. */
export const SHARD_EPOCH_FIRST = 1
export const SHARD_EPOCH_MAX = 0xffff
/** A shard that reaches this many events in one epoch must raise its epoch. */
export const LOG_OFFSET_MAX = 2 ** 48 - 1

const OFFSET_BITS = 48n
const OFFSET_MASK = (1n << OFFSET_BITS) - 1n
const SEQ_MAX = (1n << 64n) - 1n
const HEX = /^[0-9a-f]{16}$/

/** @throws SeqOverflow when a part is not a whole number of its width */
export function mailboxSeq(epoch: number, logOffset: number): MailboxSeq {
  if (!isWhole(epoch, SHARD_EPOCH_MAX)) throw new SeqOverflow(`shard epoch ${epoch} does not fit 16 bits`)
  if (!isWhole(logOffset, LOG_OFFSET_MAX)) throw new SeqOverflow(`log offset ${logOffset} does not fit 48 bits`)
  return ((BigInt(epoch) << OFFSET_BITS) | BigInt(logOffset)) as MailboxSeq
}

export function epochOf(seq: MailboxSeq): number {
  return Number(seq >> OFFSET_BITS)
}

export function logOffsetOf(seq: MailboxSeq): number {
  return Number(seq & OFFSET_MASK)
}

/**
 * What a cursor holds that has applied nothing of `epoch` yet: the last number before it. Only so is an event at offset
 * 0 behind the cursor of a new epoch.
 */
export function beforeEpoch(epoch: number): MailboxSeq {
  return (mailboxSeq(epoch, 0) - 1n) as MailboxSeq
}

/** The greatest number of an epoch. */
export function endOfEpoch(epoch: number): MailboxSeq {
  return mailboxSeq(epoch, LOG_OFFSET_MAX)
}

export function formatSeq(seq: MailboxSeq): string {
  return seq.toString(16).padStart(16, '0')
}

/** @throws Malformed when it is not 16 lower-case hex digits */
export function parseSeq(text: string): MailboxSeq {
  if (!HEX.test(text)) throw new Malformed(`'${text}' is not a mailbox_seq of 16 lower-case hex digits`)
  return BigInt(`0x${text}`) as MailboxSeq
}

/** @throws SeqOverflow when it does not fit 64 bits */
export function seqOf(value: bigint): MailboxSeq {
  if (value < 0n || value > SEQ_MAX) throw new SeqOverflow(`${value} does not fit 64 bits`)
  return value as MailboxSeq
}

export function maxSeq(a: MailboxSeq, b: MailboxSeq): MailboxSeq {
  return a > b ? a : b
}

function isWhole(value: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= max
}
