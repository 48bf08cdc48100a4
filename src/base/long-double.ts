// The 80-bit numbers that Redis' INCRBYFLOAT counts in (C's long double on x86-64): 64 bits of mantissa, 15 of
// exponent. A double would print other digits from about the 16th on, and clients see them. Exact in bigints,
// rounded once per operation, half to even. Used by: commands/string-change.

/** Redis reads no longer text as a number. */
export const NUMBER_CHARS_MAX = 5 * 1024 - 1
const MANTISSA_BITS = 64
/** Exponent of the last bit of the smallest number above zero. */
const EXPONENT_MIN = -16445
/** Numbers from 2 to this power on are infinite. */
const EXPONENT_LIMIT = 16384
/** Powers of ten outside this lie outside the range, whatever digits stand before them. */
const POWER_OF_TEN_MAX = 5000
const FRACTION_DIGITS = 17

const DECIMAL = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i
const HEXADECIMAL = /^([+-]?)0x([\da-f]*)\.?([\da-f]*)(?:p([+-]?\d+))?$/i
const INFINITE = /^([+-]?)inf(?:inity)?$/i

export class LongDouble {
  static readonly zero = new LongDouble(false, 0n, 0)

  private constructor(
    readonly negative: boolean,
    /** Below 2^64. */
    readonly mantissa: bigint,
    /** The value is mantissa * 2^exponent; infinite when this is. */
    readonly exponent: number,
  ) {}

  get isFinite(): boolean {
    return this.exponent !== Infinity
  }

  /** A number as strtold reads it, nothing before or after. Undefined for NaN and for what over- or underflows. */
  static parse(text: string): LongDouble | undefined {
    if (text.length === 0 || text.length > NUMBER_CHARS_MAX) return undefined
    const infinite = INFINITE.exec(text)
    if (infinite !== null) return new LongDouble(infinite[1] === '-', 0n, Infinity)
    const hex = HEXADECIMAL.exec(text)
    const match = hex ?? DECIMAL.exec(text)
    if (match === null) return undefined
    const digits = match[2] + match[3]
    if (digits === '') return undefined
    const negative = match[1] === '-'
    const whole = BigInt(hex === null ? digits : `0x${digits}`)
    if (whole === 0n) return LongDouble.zero
    const written = Number(match[4] ?? 0)
    const value =
      hex === null
        ? fromDecimal(negative, whole, written - match[3].length, digits.length)
        : fromBinary(negative, whole, written - match[3].length * 4)
    return value === undefined || !value.isFinite || value.mantissa === 0n ? undefined : value
  }

  /** For parse() and plus(): numerator / denominator * 2^exponent, rounded. */
  static rounded(negative: boolean, numerator: bigint, denominator: bigint, exponent: number): LongDouble {
    if (numerator === 0n) return LongDouble.zero
    let shift = MANTISSA_BITS - bitLength(numerator) + bitLength(denominator)
    // One bit more than needed may come out; the second try is exact.
    if (quotient(numerator, denominator, shift) >> BigInt(MANTISSA_BITS) > 0n) shift--
    shift = Math.min(shift, exponent - EXPONENT_MIN)
    let mantissa = quotient(numerator, denominator, shift)
    const rest = remainder(numerator, denominator, shift)
    if (rest > 0 || (rest === 0 && (mantissa & 1n) === 1n)) mantissa += 1n
    const result = exponent - shift
    if (bitLength(mantissa) + result > EXPONENT_LIMIT) return new LongDouble(negative, 0n, Infinity)
    return new LongDouble(negative, mantissa, result)
  }

  /** Not finite when either is not, or when the sum leaves the range. */
  plus(other: LongDouble): LongDouble {
    if (!this.isFinite) return this
    if (!other.isFinite) return other
    const exponent = Math.min(this.exponent, other.exponent)
    const sum = this.#scaled(exponent) + other.#scaled(exponent)
    return LongDouble.rounded(sum < 0n, sum < 0n ? -sum : sum, 1n, exponent)
  }

  #scaled(exponent: number): bigint {
    const magnitude = this.mantissa << BigInt(this.exponent - exponent)
    return this.negative ? -magnitude : magnitude
  }

  /** Decimal with at most 17 digits behind the point and no trailing zeros, as Redis stores the sum. Finite only. */
  format(): string {
    const scaled = this.mantissa * 10n ** BigInt(FRACTION_DIGITS)
    let units = scaled << BigInt(Math.max(0, this.exponent))
    if (this.exponent < 0) {
      units = scaled >> BigInt(-this.exponent)
      const twice = (scaled - (units << BigInt(-this.exponent))) * 2n
      const one = 1n << BigInt(-this.exponent)
      if (twice > one || (twice === one && (units & 1n) === 1n)) units += 1n
    }
    const digits = units.toString().padStart(FRACTION_DIGITS + 1, '0')
    const point = digits.length - FRACTION_DIGITS
    const text = `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0+$/, '')
    return this.negative && units !== 0n ? `-${text}` : text
  }
}

function fromDecimal(negative: boolean, digits: bigint, power: number, count: number): LongDouble | undefined {
  if (power + count > POWER_OF_TEN_MAX || power + count < -POWER_OF_TEN_MAX) return undefined
  return power >= 0
    ? LongDouble.rounded(negative, digits * 10n ** BigInt(power), 1n, 0)
    : LongDouble.rounded(negative, digits, 10n ** BigInt(-power), 0)
}

function fromBinary(negative: boolean, digits: bigint, exponent: number): LongDouble | undefined {
  if (Math.abs(exponent) > 2 * EXPONENT_LIMIT + NUMBER_CHARS_MAX * 4) return undefined
  return LongDouble.rounded(negative, digits, 1n, exponent)
}

/** floor(numerator * 2^shift / denominator). */
function quotient(numerator: bigint, denominator: bigint, shift: number): bigint {
  return shift >= 0 ? (numerator << BigInt(shift)) / denominator : numerator / (denominator << BigInt(-shift))
}

/** Sign of (what quotient() left over minus half a unit). */
function remainder(numerator: bigint, denominator: bigint, shift: number): number {
  const n = shift >= 0 ? numerator << BigInt(shift) : numerator
  const d = shift >= 0 ? denominator : denominator << BigInt(-shift)
  const twice = (n % d) * 2n
  return twice > d ? 1 : twice === d ? 0 : -1
}

function bitLength(value: bigint): number {
  if (value === 0n) return 0
  const hex = value.toString(16)
  return hex.length * 4 - Math.clz32(parseInt(hex[0], 16)) + 28
}
