// The record of a pending entry in a group's PEL, and the page codecs of the two trees that make up a PEL: all pending
// entries of the group by ID, and for each consumer the IDs it owns (a record without payload).
//
// Payload, behind the 16 bytes of the ID. On disk, so frozen; docs/format/stream.md repeats the drawing.
// offset  size  field
//      0     8  last delivery, Unix ms, uint64
//      8     8  deliveries, int64
//     16     4  consumer number; 0 (RELEASED): nobody's, and the first field is its place among those, from 1

import { STREAM_ID_BYTES } from '../../base/stream-id.js'
import { PAGE_KIND } from '../../pages/page.js'
import { recordCodec } from '../../pages/record-page.js'
import { getCount, putCount } from './count.js'
import type { Count } from './count.js'

export const PEL_RECORD = { DELIVERED_MS: 0, DELIVERIES: 8, CONSUMER: 16, BYTES: 20 } as const
/** The owner of an entry that XNACK released. Its time field is its place among the released, the first one first. */
export const RELEASED = 0
/** ID and payload. */
export const PEL_RECORD_BYTES = STREAM_ID_BYTES + PEL_RECORD.BYTES

export const pelCodec = recordCodec({
  kind: PAGE_KIND.groupPel,
  payloadBytes: PEL_RECORD.BYTES,
  summaryAt: PEL_RECORD.DELIVERED_MS,
})

export const ownedCodec = recordCodec({ kind: PAGE_KIND.consumerPel, payloadBytes: 0 })

export function putPelRecord(
  bytes: Buffer,
  at: number,
  deliveredMs: number,
  deliveries: Count,
  consumer: number,
): void {
  putCount(bytes, at + PEL_RECORD.DELIVERED_MS, deliveredMs)
  putCount(bytes, at + PEL_RECORD.DELIVERIES, deliveries)
  bytes.writeUInt32BE(consumer, at + PEL_RECORD.CONSUMER)
}

/** Without the mark that hides a record (record-page.ts). */
export function deliveredMsAt(bytes: Buffer, at: number): number {
  return (bytes.readUInt32BE(at) & 0x7fffffff) * 4294967296 + bytes.readUInt32BE(at + 4)
}

export function deliveriesAt(bytes: Buffer, at: number): Count {
  return getCount(bytes, at + PEL_RECORD.DELIVERIES)
}

export function consumerAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at + PEL_RECORD.CONSUMER)
}
