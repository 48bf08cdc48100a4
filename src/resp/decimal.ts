// Decimal digits straight into bytes. Numbers are split into halves that fit 31 bits, because dividing small integers
// is several times as fast as dividing doubles.

const ZERO = 48
const TEN_7 = 1e7
const TWO_32 = 4294967296
/** (2^53 - 1) >> 32. */
const SAFE_HI_MAX = 0x1fffff

/** Digits of a whole number in [0, 2^53]. */
export function digitsOf(value: number): number {
  if (value < 10) return 1
  if (value < 100) return 2
  if (value < 1000) return 3
  let digits = 4
  for (let limit = 1e4; value >= limit; limit *= 10) digits++
  return digits
}

/** Writes a whole number in [0, 2^53] of `digits` digits at `at`; returns the offset behind it. */
export function putDecimal(bytes: Uint8Array, at: number, value: number, digits: number): number {
  const end = at + digits
  if (digits <= 9) {
    putSmall(bytes, at, end, value)
    return end
  }
  const high = Math.floor(value / TEN_7)
  putSmall(bytes, at, end - 7, high)
  putSmall(bytes, end - 7, end, value - high * TEN_7)
  return end
}

/** Fills bytes[from, to) with the digits of `value`, zeros in front. */
function putSmall(bytes: Uint8Array, from: number, to: number, value: number): void {
  let rest = value | 0
  for (let i = to - 1; i >= from; i--) {
    const tenth = (rest / 10) | 0
    bytes[i] = ZERO + rest - tenth * 10
    rest = tenth
  }
}

/** The unsigned 64-bit number of two halves as a number, or as text when it is beyond 2^53. */
export function u64Of(hi: number, lo: number): number | string {
  return hi <= SAFE_HI_MAX ? hi * TWO_32 + lo : String((BigInt(hi) << 32n) | BigInt(lo))
}
