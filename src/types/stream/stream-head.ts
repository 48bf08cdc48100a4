// The row of a stream in Table.Heads: everything about the stream as a whole, and the roots of its trees. Pure codec.
//
// Head, version 3. On disk, so frozen: add a version, never edit a row. docs/format/stream.md repeats the drawing.
// offset  size  field                          offset  size  field
//      0     1  version                            42     8  entries added, int64
//      1     1  zero                               50     4  groups
//      2     8  length                             54     .  section: root of the entries
//     10    16  last ID                             .     .  section: root of the closed macro nodes
//     26    16  max deleted ID                      .     .  section: open macro node, see below
//                                                   .     .  section: idempotence (idempotence.ts)
//                                                   .     .  section: dropped references (dropped-references.ts)
// What is missing is an empty section. Version 1 had none for idempotence, version 2 none for dropped references; a
// head without these is written as version 2.
//
// Open macro node
// offset  size  field                          offset  size  field
//      0    16  ID of its first entry              40     4  bytes of Redis' listpack
//     16    16  ID of its last entry               44     .  master field names as RESP bulk strings
//     32     4  live entries
//     36     4  deleted entries

import { CorruptionError } from '../../base/errors.js'
import { compareIds, getId, putId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import { getCount, putCount } from './count.js'
import type { Count } from './count.js'
import { joinSections, splitSections, versionOf } from './row-sections.js'

export const HEAD_VERSION = 3
export const HEAD = {
  VERSION: 0,
  LENGTH: 2,
  LAST_ID: 10,
  MAX_DELETED_ID: 26,
  ENTRIES_ADDED: 42,
  GROUPS: 50,
  SECTIONS: 54,
} as const

export const OPEN_NODE = {
  FIRST_ID: 0,
  LAST_ID: 16,
  LIVE: 32,
  DELETED: 36,
  BYTES: 40,
  FIELDS: 44,
} as const

/** The macro node that XADD appends to. */
export interface OpenNode {
  readonly firstId: StreamId
  /** Of the last entry ever appended to it, deleted or not. */
  lastId: StreamId
  live: number
  deleted: number
  /** What Redis' listpack for the same entries takes. */
  bytes: number
  /** Field names of the first entry as RESP bulk strings, in a latin1 string. */
  readonly masterFields: string
}

export interface StreamHead {
  length: number
  lastId: StreamId
  maxDeletedId: StreamId
  entriesAdded: Count
  groupCount: number
  entriesRoot: Buffer
  closedRoot: Buffer | undefined
  openNode: OpenNode | undefined
  idempotence: Buffer | undefined
  dropped: Buffer | undefined
}

const VERSION_WITHOUT_DROPPED = 2
/** Sections by version. */
const SECTIONS = { 1: 3, [VERSION_WITHOUT_DROPPED]: 4, [HEAD_VERSION]: 5 } as const
const SECTIONS_AT = {
  1: HEAD.SECTIONS,
  [VERSION_WITHOUT_DROPPED]: HEAD.SECTIONS,
  [HEAD_VERSION]: HEAD.SECTIONS,
} as const
const NOTHING = Buffer.alloc(0)

export function encodeHead(head: StreamHead): Buffer {
  const fixed = Buffer.alloc(HEAD.SECTIONS)
  fixed[HEAD.VERSION] = head.dropped === undefined ? VERSION_WITHOUT_DROPPED : HEAD_VERSION
  putCount(fixed, HEAD.LENGTH, head.length)
  putId(fixed, HEAD.LAST_ID, head.lastId)
  putId(fixed, HEAD.MAX_DELETED_ID, head.maxDeletedId)
  putCount(fixed, HEAD.ENTRIES_ADDED, head.entriesAdded)
  fixed.writeUInt32BE(head.groupCount, HEAD.GROUPS)
  const open = head.openNode === undefined ? NOTHING : encodeOpenNode(head.openNode)
  const sections = [head.entriesRoot, head.closedRoot ?? NOTHING, open, head.idempotence ?? NOTHING]
  if (head.dropped !== undefined) sections.push(head.dropped)
  return joinSections(fixed, sections)
}

/** @throws CorruptionError naming `what` */
export function decodeHead(value: Buffer, what: string): StreamHead {
  const version = versionOf(value, SECTIONS_AT, what) as keyof typeof SECTIONS
  const sections = splitSections(value, HEAD.SECTIONS, SECTIONS[version], what)
  const [entriesRoot, closedRoot, open, idempotence, dropped] = sections
  return {
    length: Number(getCount(value, HEAD.LENGTH)),
    lastId: getId(value, HEAD.LAST_ID),
    maxDeletedId: getId(value, HEAD.MAX_DELETED_ID),
    entriesAdded: getCount(value, HEAD.ENTRIES_ADDED),
    groupCount: value.readUInt32BE(HEAD.GROUPS),
    entriesRoot,
    closedRoot: closedRoot.length === 0 ? undefined : closedRoot,
    openNode: open.length === 0 ? undefined : decodeOpenNode(open, what),
    idempotence: idempotence === undefined || idempotence.length === 0 ? undefined : idempotence,
    dropped: dropped === undefined || dropped.length === 0 ? undefined : dropped,
  }
}

function encodeOpenNode(node: OpenNode): Buffer {
  const bytes = Buffer.allocUnsafe(OPEN_NODE.FIELDS + node.masterFields.length)
  putId(bytes, OPEN_NODE.FIRST_ID, node.firstId)
  putId(bytes, OPEN_NODE.LAST_ID, node.lastId)
  bytes.writeUInt32BE(node.live, OPEN_NODE.LIVE)
  bytes.writeUInt32BE(node.deleted, OPEN_NODE.DELETED)
  bytes.writeUInt32BE(node.bytes, OPEN_NODE.BYTES)
  bytes.write(node.masterFields, OPEN_NODE.FIELDS, 'latin1')
  return bytes
}

function decodeOpenNode(bytes: Buffer, what: string): OpenNode {
  if (bytes.length < OPEN_NODE.FIELDS) throw new CorruptionError(`${what} has a short open node`)
  const firstId = getId(bytes, OPEN_NODE.FIRST_ID)
  const lastId = getId(bytes, OPEN_NODE.LAST_ID)
  if (compareIds(firstId, lastId) > 0) throw new CorruptionError(`${what} has an open node that ends before it begins`)
  return {
    firstId,
    lastId,
    live: bytes.readUInt32BE(OPEN_NODE.LIVE),
    deleted: bytes.readUInt32BE(OPEN_NODE.DELETED),
    bytes: bytes.readUInt32BE(OPEN_NODE.BYTES),
    masterFields: bytes.toString('latin1', OPEN_NODE.FIELDS),
  }
}
