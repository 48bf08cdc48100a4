// LZF, the compression of long strings in Redis' dumps; reading only, since what is written plain is read everywhere.
//
// A sequence of runs, each behind a control byte:
//   000nnnnn                      the next n + 1 bytes as they are
//   nnnooooo [more] oooooooo      n + 2 bytes (n = 7: + more) once more, from offset + 1 bytes before the output's end

import { PayloadError } from './payload-error.js'

const LITERALS_MAX = 32
const LENGTH_FOLLOWS = 7
/** Three bytes of input give 264 of output at most. */
const RATIO_MAX = 88

/**
 * The `length` bytes that `input` holds compressed.
 * @throws PayloadError when it does not hold exactly so many
 */
export function decompress(input: Buffer, length: number): Buffer {
  if (length > input.length * RATIO_MAX) throw new PayloadError('compressed string too short for its length')
  const output = Buffer.allocUnsafeSlow(length)
  let at = 0
  let to = 0
  while (at < input.length) {
    const control = input[at++]
    if (control < LITERALS_MAX) {
      const end = at + control + 1
      if (end > input.length || to + control + 1 > length) throw malformed()
      while (at < end) output[to++] = input[at++]
      continue
    }
    let run = control >>> 5
    if (run === LENGTH_FOLLOWS) run += input[at++] // past the end it becomes NaN, which the next check refuses
    if (at >= input.length) throw malformed()
    let from = to - (((control & 31) << 8) | input[at++]) - 1
    const end = to + run + 2
    if (from < 0 || end > length) throw malformed()
    while (to < end) output[to++] = output[from++]
  }
  if (to !== length) throw malformed()
  return output
}

function malformed(): PayloadError {
  return new PayloadError('malformed compressed string')
}
