// The row of a consumer group in Table.Parts, key: stream's object id, 'g', group's object id. Pure codec. Used by:
// group.
//
// Group, version 2. On disk, so frozen: add a version, never edit a row. docs/format/stream.md repeats the drawing.
// offset  size  field                          offset  size  field
//      0     1  version                            34     8  pending entries
//      1     1  1: entries read is known,          42     8  position, int64
//               2: the position is known           50     8  released entries, of the pending
//      2     4  consumers                          58     8  place of the next entry that is released
//      6    16  last delivered ID                  66     .  section: root of the PEL, empty when there is none
//     22     8  entries read, int64                 .     .  section: name
//     30     4  number of the next consumer
// Version 1 had the sections at 42: the position was what entries read says, and nothing was released.

import { getId, putId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import { getCount, putCount } from './count.js'
import type { Count } from './count.js'
import { joinSections, splitSections, versionOf } from './row-sections.js'

export const GROUP_VERSION = 2
export const GROUP = {
  VERSION: 0,
  KNOWN: 1,
  CONSUMERS: 2,
  LAST_DELIVERED_ID: 6,
  ENTRIES_READ: 22,
  NEXT_CONSUMER: 30,
  PENDING: 34,
  POSITION: 42,
  RELEASED: 50,
  NEXT_RELEASE: 58,
  SECTIONS: 66,
} as const
const SECTIONS_AT = { 1: 42, [GROUP_VERSION]: GROUP.SECTIONS } as const
const ENTRIES_READ_KNOWN = 1
const POSITION_KNOWN = 2
const NOTHING = Buffer.alloc(0)

export interface GroupRow {
  readonly consumers: number
  readonly lastDeliveredId: StreamId
  /** undefined = unknown, as of the position. */
  readonly entriesRead: Count | undefined
  readonly nextConsumer: number
  readonly pending: number
  readonly position: Count | undefined
  readonly released: number
  readonly nextRelease: number
  /** undefined: there is no PEL. */
  readonly pelRoot: Buffer | undefined
  /** latin1. */
  readonly name: string
}

export function encodeGroupRow(row: GroupRow): Buffer {
  const fixed = Buffer.alloc(GROUP.SECTIONS)
  fixed[GROUP.VERSION] = GROUP_VERSION
  fixed[GROUP.KNOWN] =
    (row.entriesRead === undefined ? 0 : ENTRIES_READ_KNOWN) | (row.position === undefined ? 0 : POSITION_KNOWN)
  fixed.writeUInt32BE(row.consumers, GROUP.CONSUMERS)
  putId(fixed, GROUP.LAST_DELIVERED_ID, row.lastDeliveredId)
  putCount(fixed, GROUP.ENTRIES_READ, row.entriesRead ?? 0)
  fixed.writeUInt32BE(row.nextConsumer, GROUP.NEXT_CONSUMER)
  putCount(fixed, GROUP.PENDING, row.pending)
  putCount(fixed, GROUP.POSITION, row.position ?? 0)
  putCount(fixed, GROUP.RELEASED, row.released)
  putCount(fixed, GROUP.NEXT_RELEASE, row.nextRelease)
  return joinSections(fixed, [row.pelRoot ?? NOTHING, Buffer.from(row.name, 'latin1')])
}

/** @param what names the row in errors @throws CorruptionError */
export function decodeGroupRow(value: Buffer, what: string): GroupRow {
  const version = versionOf(value, SECTIONS_AT, what) as keyof typeof SECTIONS_AT
  const [root, name] = splitSections(value, SECTIONS_AT[version], 2, what)
  const known = value[GROUP.KNOWN]
  const entriesRead = (known & ENTRIES_READ_KNOWN) === 0 ? undefined : getCount(value, GROUP.ENTRIES_READ)
  const isNew = version === GROUP_VERSION
  const position = (known & POSITION_KNOWN) === 0 ? undefined : getCount(value, GROUP.POSITION)
  return {
    consumers: value.readUInt32BE(GROUP.CONSUMERS),
    lastDeliveredId: getId(value, GROUP.LAST_DELIVERED_ID),
    entriesRead,
    nextConsumer: value.readUInt32BE(GROUP.NEXT_CONSUMER),
    pending: Number(getCount(value, GROUP.PENDING)),
    position: isNew ? position : entriesRead,
    released: isNew ? Number(getCount(value, GROUP.RELEASED)) : 0,
    nextRelease: isNew ? Number(getCount(value, GROUP.NEXT_RELEASE)) : 1,
    pelRoot: root.length > 0 ? root : undefined,
    name: name.toString('latin1'),
  }
}
