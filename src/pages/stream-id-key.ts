// Stream IDs as keys of ordered pages: what the codecs of wire pages and record pages have in common.

import { CorruptionError } from '../base/errors.js'
import { compareIds, getId, putId, STREAM_ID_BYTES, type StreamId } from '../base/stream-id.js'

const TWO_32 = 4294967296

export const streamIdKey = {
  compare: compareIds,
  /** The milliseconds: what a double cannot tell apart it rounds to the same number, and never past another. */
  prefix(id: StreamId): number {
    return id.msHi * TWO_32 + id.msLo
  },
  encodeKey(id: StreamId): Buffer {
    const bytes = Buffer.allocUnsafe(STREAM_ID_BYTES)
    putId(bytes, 0, id)
    return bytes
  },
  decodeKey(bytes: Buffer): StreamId {
    if (bytes.length !== STREAM_ID_BYTES) throw new CorruptionError(`a key of ${bytes.length} bytes is no stream ID`)
    return getId(bytes, 0)
  },
  separator(_before: StreamId | undefined, id: StreamId): StreamId {
    return id
  },
} as const
