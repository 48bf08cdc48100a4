// Numbers as Redis reads and prints them: client arguments in, replies out. Pure; works on bytes where it lies so that
// no argument has to become a string first. What is not a whole, valid number in Redis' eyes is undefined here.

const ZERO = 48
const NINE = 57
const MINUS = 45
const PLUS = 43
const DOT = 46
/** '-9223372036854775808'. */
const INT64_CHARS_MAX = 20
/** So many digits fit a double without loss. */
const SAFE_DIGITS = 15
const INT64_MAX = 0x7fffffffffffffffn

/**
 * A signed 64-bit integer in bytes[from, to): digits with an optional '-', no '+', no leading zeros, no '-0'. A number
 * when it is a safe integer, else a bigint; undefined when it is none.
 */
export function readInt64(bytes: Uint8Array, from: number, to: number): number | bigint | undefined {
  const length = to - from
  if (length < 1 || length > INT64_CHARS_MAX) return undefined
  const negative = bytes[from] === MINUS
  const first = negative ? from + 1 : from
  const digits = to - first
  if (digits === 0) return undefined
  if (bytes[first] === ZERO) return digits === 1 && !negative ? 0 : undefined
  if (digits > SAFE_DIGITS) return readLongInt64(bytes, first, to, negative)
  let value = 0
  for (let i = first; i < to; i++) {
    const digit = bytes[i] - ZERO
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return negative ? -value : value
}

/** As readInt64(), of a latin1 string. */
export function int64Of(text: string): number | bigint | undefined {
  if (text.length === 0 || text.length > INT64_CHARS_MAX) return undefined
  const first = text.charCodeAt(0)
  if (first > 57 || (first < 48 && first !== 45)) return undefined
  if (text.length > SAFE_DIGITS) return readInt64(Buffer.from(text, 'latin1'), 0, text.length)
  for (let i = 1; i < text.length; i++) if (text.charCodeAt(i) > 57 || text.charCodeAt(i) < 48) return undefined
  // What is left to refuse: '-', '-0', leading zeros.
  const value = Number(text)
  return value === 0 ? (text === '0' ? 0 : undefined) : String(value).length === text.length ? value : undefined
}

function readLongInt64(bytes: Uint8Array, first: number, to: number, negative: boolean): number | bigint | undefined {
  let big = 0n
  for (let i = first; i < to; i++) {
    const digit = bytes[i] - ZERO
    if (digit < 0 || digit > 9) return undefined
    big = big * 10n + BigInt(digit)
  }
  if (big > (negative ? INT64_MAX + 1n : INT64_MAX)) return undefined
  if (big <= BigInt(Number.MAX_SAFE_INTEGER)) return negative ? -Number(big) : Number(big)
  return negative ? -big : big
}

/**
 * A double in bytes[from, to) as C's strtod reads it: decimal or hexadecimal with optional fraction and exponent, 'inf'
 * and 'infinity' in any case. Nothing before or after it; no NaN; what overflows, or vanishes to zero, is undefined.
 */
export function readDouble(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (from >= to) return undefined
  const negative = bytes[from] === MINUS
  const first = negative || bytes[from] === PLUS ? from + 1 : from
  const value = readMagnitude(bytes, first, to)
  if (value === undefined) return undefined
  return negative ? -value : value
}

function readMagnitude(bytes: Uint8Array, first: number, to: number): number | undefined {
  if (first >= to) return undefined
  const lead = bytes[first]
  if (lead === DOT || isDigit(lead)) {
    const hex = lead === ZERO && first + 1 < to && lower(bytes[first + 1]) === 120
    return hex ? readHexadecimal(bytes, first + 2, to) : readDecimal(bytes, first, to)
  }
  return isWord(bytes, first, to, 'inf') || isWord(bytes, first, to, 'infinity') ? Infinity : undefined
}

function readDecimal(bytes: Uint8Array, first: number, to: number): number | undefined {
  let at = first
  let digits = 0
  let whole = 0
  let significant = false
  let fraction = false
  for (; at < to; at++) {
    const c = bytes[at]
    if (c === DOT && !fraction) fraction = true
    else if (isDigit(c)) {
      digits++
      whole = whole * 10 + c - ZERO
      if (c !== ZERO) significant = true
    } else break
  }
  if (digits === 0) return undefined
  // Most scores are whole numbers of few digits: no text is made of them.
  if (at === to && !fraction && digits <= SAFE_DIGITS) return whole
  if (at < to && readExponent(bytes, at, to, 101) === undefined) return undefined
  const value = Number(latin1(bytes, first, to))
  if (value === Infinity || (value === 0 && significant)) return undefined
  return value
}

/** The exponent after the letter `letter` (lower case) at `at`, clamped far outside a double's range. */
function readExponent(bytes: Uint8Array, at: number, to: number, letter: number): number | undefined {
  if (lower(bytes[at]) !== letter) return undefined
  let i = at + 1
  const negative = i < to && bytes[i] === MINUS
  if (i < to && (negative || bytes[i] === PLUS)) i++
  if (i >= to) return undefined
  let value = 0
  for (; i < to; i++) {
    if (!isDigit(bytes[i])) return undefined
    value = Math.min(value * 10 + bytes[i] - ZERO, EXPONENT_CLAMP)
  }
  return negative ? -value : value
}

/** Above any exponent that the digits of a 512 MB argument could bring back into range. */
const EXPONENT_CLAMP = 2 ** 40
/** Significant hexadecimal digits kept exactly; more only tell whether the value lies above the kept one. */
const HEX_DIGITS_KEPT = 16
const DOUBLE_BITS = 53
const DOUBLE_EXPONENT_MIN = -1074
const DOUBLE_EXPONENT_MAX = 1023

function readHexadecimal(bytes: Uint8Array, first: number, to: number): number | undefined {
  let mantissa = 0n
  let kept = 0
  let sticky = false
  let exponent = 0
  let digits = 0
  let fraction = false
  let at = first
  for (; at < to; at++) {
    const c = bytes[at]
    if (c === DOT && !fraction) {
      fraction = true
      continue
    }
    const digit = hexDigit(c)
    if (digit < 0) break
    digits++
    if (kept === HEX_DIGITS_KEPT) {
      sticky ||= digit !== 0
      if (!fraction) exponent += 4
      continue
    }
    if (fraction) exponent -= 4
    mantissa = mantissa * 16n + BigInt(digit)
    if (mantissa !== 0n) kept++
  }
  if (digits === 0) return undefined
  if (at < to) {
    const written = readExponent(bytes, at, to, 112)
    if (written === undefined) return undefined
    exponent += written
  }
  if (mantissa === 0n) return 0
  return scale(mantissa * 2n + (sticky ? 1n : 0n), exponent - 1)
}

/** mantissa * 2^exponent rounded once, half to even; undefined when it overflows or becomes zero. */
function scale(mantissa: bigint, exponent: number): number | undefined {
  const bits = mantissa.toString(2).length
  if (bits + exponent > DOUBLE_EXPONENT_MAX + 1 || bits + exponent < DOUBLE_EXPONENT_MIN) return undefined
  const drop = Math.max(bits - DOUBLE_BITS, DOUBLE_EXPONENT_MIN - exponent, 0)
  let rounded = mantissa
  if (drop > 0) {
    const shift = BigInt(drop)
    rounded = mantissa >> shift
    const rest = mantissa - (rounded << shift)
    const half = 1n << (shift - 1n)
    if (rest > half || (rest === half && (rounded & 1n) === 1n)) rounded += 1n
  }
  // Two steps: 2^(exponent + drop) alone may lie outside a double's range while the product does not.
  const power = exponent + drop
  const near = Math.max(Math.min(power, DOUBLE_EXPONENT_MAX), -DOUBLE_EXPONENT_MAX + 1)
  const value = Number(rounded) * 2 ** near * 2 ** (power - near)
  return value === 0 || value === Infinity ? undefined : value
}

const SIGNIFICANT_DIGITS = 17
/** Enough to tell an exact half from what only looks like one. */
const EXACT_DIGITS = 60

/** `value` as Redis prints doubles: C's %.17g, with 'inf', '-inf' and 'nan'. */
export function formatDouble(value: number): string {
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? '-0' : String(value)
  if (value !== value) return 'nan'
  if (value === Infinity) return 'inf'
  if (value === -Infinity) return '-inf'
  const text = roundedHalfEven(Math.abs(value))
  const e = text.indexOf('e')
  const digits = (text.charAt(0) + text.slice(2, e)).replace(/0+$/, '')
  return (value < 0 ? '-' : '') + layOut(digits, Number(text.slice(e + 1)))
}

/** The 17 significant digits in exponential form. JavaScript rounds an exact half up, C to the even digit. */
function roundedHalfEven(magnitude: number): string {
  const exact = magnitude.toExponential(EXACT_DIGITS)
  const e = exact.indexOf('e')
  const cut = exact.slice(0, SIGNIFICANT_DIGITS + 1)
  const tie = /^50*$/.test(exact.slice(SIGNIFICANT_DIGITS + 1, e))
  if (tie && Number(cut.at(-1)) % 2 === 0) return cut + exact.slice(e)
  return magnitude.toExponential(SIGNIFICANT_DIGITS - 1)
}

function layOut(digits: string, exponent: number): string {
  if (exponent < -4 || exponent >= SIGNIFICANT_DIGITS) {
    const mantissa = digits.length > 1 ? `${digits[0]}.${digits.slice(1)}` : digits
    const size = String(Math.abs(exponent)).padStart(2, '0')
    return `${mantissa}e${exponent < 0 ? '-' : '+'}${size}`
  }
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const fraction = digits.slice(exponent + 1)
  return fraction === '' ? whole : `${whole}.${fraction}`
}

function isDigit(c: number): boolean {
  return c >= ZERO && c <= NINE
}

function lower(c: number): number {
  return c | 32
}

/** The value of a hexadecimal digit, or -1. */
export function hexDigit(c: number): number {
  if (c >= ZERO && c <= NINE) return c - ZERO
  const letter = lower(c)
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

/** `word` in lower-case letters. */
function isWord(bytes: Uint8Array, from: number, to: number, word: string): boolean {
  if (to - from !== word.length) return false
  for (let i = 0; i < word.length; i++) if (lower(bytes[from + i]) !== word.charCodeAt(i)) return false
  return true
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.prototype.latin1Slice.call(bytes, from, to)
}
