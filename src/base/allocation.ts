// Memory that a client asks for: when the system refuses it, that is an answer and not the end of the process.
// Used by: whoever makes a buffer as large as a client says, before anything is changed; exec/failures for the rest.

import { ReplyError, replyErrors } from './errors.js'

/**
 * Long values are made, received and kept in pieces of so many bytes: with the store's checksum and LMDB's header one
 * fills its pages of 4,096 bytes; whole words, for bitmaps.
 */
export const PIECE_BYTES = 64 * 1024 - 64

/** Codes of Node's errors for sizes that no buffer or string can have. */
const TOO_LARGE = new Set(['ERR_STRING_TOO_LONG', 'ERR_BUFFER_TOO_LARGE', 'ERR_MEMORY_ALLOCATION_FAILED'])
/** What V8 says, without a code. */
const REFUSED = new Set(['Array buffer allocation failed', 'Invalid string length', 'Invalid array buffer length'])

/** Whether `error` says that there is no memory for something large. */
export function isAllocationFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as NodeJS.ErrnoException
  return (error instanceof RangeError && REFUSED.has(error.message)) || (code !== undefined && TOO_LARGE.has(code))
}

/** What V8 throws when it gets no memory for a buffer. */
export function allocationFailure(): RangeError {
  return new RangeError('Array buffer allocation failed')
}

/** A Buffer of its own, not filled. @throws ReplyError OOM when there is no memory for it */
export function allocate(bytes: number): Buffer {
  try {
    return Buffer.allocUnsafeSlow(bytes)
  } catch (error) {
    if (isAllocationFailure(error)) throw new ReplyError(replyErrors.noMemory)
    throw error
  }
}
