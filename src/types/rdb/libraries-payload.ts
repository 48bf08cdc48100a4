// All function libraries as FUNCTION DUMP gives them and FUNCTION RESTORE takes them, in Redis' RDB format: for each an
// opcode and its code, then the footer of a dump. Used by: commands/function.

import { isIntact, sealed, unsealed } from './dump-payload.js'
import { PayloadError } from './payload-error.js'
import { RdbReader } from './rdb-reader.js'
import { RdbWriter } from './rdb-writer.js'

const FUNCTION_OPCODE = 245
const CODE_BYTES_MAX = 512 * 1024 * 1024
const LIMITS = { stringBytesMax: CODE_BYTES_MAX, unpackedBytesMax: CODE_BYTES_MAX }

export function encodeLibraries(codes: readonly Buffer[]): Buffer {
  const writer = new RdbWriter(CODE_BYTES_MAX)
  for (const code of codes) {
    writer.u8(FUNCTION_OPCODE)
    writer.string(code)
  }
  return sealed(writer)
}

/** Undefined when the payload is damaged or holds something else. */
export function decodeLibraries(payload: Buffer): Buffer[] | undefined {
  if (!isIntact(payload)) return undefined
  const codes: Buffer[] = []
  try {
    const reader = new RdbReader(unsealed(payload), LIMITS)
    while (reader.remaining > 0) {
      if (reader.u8() !== FUNCTION_OPCODE) return undefined
      codes.push(Buffer.from(reader.string()))
    }
  } catch (error) {
    if (error instanceof PayloadError) return undefined
    throw error
  }
  return codes
}
