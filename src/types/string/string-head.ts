// The rows of a string in pieces: its head, drawn in docs/format/string.md, and what is known of the row of a piece.
// Used by: pieced-string, pieces-read. Frozen: add a version, never change one.

import { CorruptionError } from '../../base/errors.js'
import { getU48, putU48 } from '../../store/row.js'

/** Head of a string in pieces, version 1. Numbers are big-endian. */
export const STRING_HEAD = { VERSION: 0, PIECE_BYTES: 1, LENGTH: 5, TREE: 11, BYTES: 17 } as const
export const STRING_HEAD_VERSION = 1
export interface StringShape {
  readonly length: number
  /** Of every piece but the last, which may be shorter. */
  readonly pieceBytes: number
  /** Under which the pieces stand, numbered from 0. */
  readonly treeId: number
}

export function encodeStringHead({ length, pieceBytes, treeId }: StringShape): Buffer {
  const row = Buffer.allocUnsafe(STRING_HEAD.BYTES)
  row[STRING_HEAD.VERSION] = STRING_HEAD_VERSION
  row.writeUInt32BE(pieceBytes, STRING_HEAD.PIECE_BYTES)
  putU48(row, STRING_HEAD.LENGTH, length)
  putU48(row, STRING_HEAD.TREE, treeId)
  return row
}

/** @throws CorruptionError when the row is none */
export function decodeStringHead(row: Buffer | undefined, objectId: number): StringShape {
  const what = `head of string ${objectId}`
  if (row === undefined) throw new CorruptionError(`${what} is missing`)
  if (row.length !== STRING_HEAD.BYTES) throw new CorruptionError(`${what} has ${row.length} bytes`)
  if (row[STRING_HEAD.VERSION] !== STRING_HEAD_VERSION) {
    throw new CorruptionError(`${what} has version ${row[STRING_HEAD.VERSION]}, not ${STRING_HEAD_VERSION}`)
  }
  const pieceBytes = row.readUInt32BE(STRING_HEAD.PIECE_BYTES)
  const length = getU48(row, STRING_HEAD.LENGTH)
  if (pieceBytes === 0 || length === 0) throw new CorruptionError(`${what} is of nothing`)
  return { length, pieceBytes, treeId: getU48(row, STRING_HEAD.TREE) }
}

/** The row of a piece. @throws CorruptionError when it is not as long as it should be */
export function checkedPiece(row: Buffer | undefined, shape: StringShape, number: number): Buffer {
  const what = `piece ${number} of string tree ${shape.treeId}`
  if (row === undefined) throw new CorruptionError(`${what} is missing`)
  const expected = Math.min(shape.pieceBytes, shape.length - number * shape.pieceBytes)
  if (row.length !== expected) throw new CorruptionError(`${what} has ${row.length} bytes, not ${expected}`)
  return row
}
