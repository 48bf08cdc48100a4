// Stream entry ID: two unsigned 64-bit numbers, milliseconds and sequence. Held as four unsigned 32-bit halves, because
// a double loses bits above 2^53 and a bigint allocates on every step of the hot path.
// Encoded it is 16 bytes, big-endian, so that byte order is ID order.

export interface StreamId {
  readonly msHi: number
  readonly msLo: number
  readonly seqHi: number
  readonly seqLo: number
}

export const STREAM_ID_BYTES = 16
/** Longest text form: 20 digits, '-', 20 digits. */
export const STREAM_ID_TEXT_BYTES_MAX = 41
const TWO_32 = 4294967296
const U32_MAX = 0xffffffff
const SAFE_HI_MAX = 0x1fffff // (2^53 - 1) >> 32: below it hi * 2^32 + lo is exact

export const ID_MIN: StreamId = { msHi: 0, msLo: 0, seqHi: 0, seqLo: 0 }
export const ID_MAX: StreamId = idAtBound(U32_MAX, U32_MAX, U32_MAX, U32_MAX)

/**
 * An ID whose halves may be as large as they can be. V8 keeps a half above 2^31 in an object of its own, and once it
 * has met one in a place, the same halves of all IDs of that form, small ones too: so IDs at a bound have another form
 * (the order of the fields), and an ID of an entry is two objects at most instead of five.
 */
function idAtBound(msHi: number, msLo: number, seqHi: number, seqLo: number): StreamId {
  return { seqLo, seqHi, msLo, msHi }
}

export function compareIds(a: StreamId, b: StreamId): number {
  if (a.msHi !== b.msHi) return a.msHi < b.msHi ? -1 : 1
  if (a.msLo !== b.msLo) return a.msLo < b.msLo ? -1 : 1
  if (a.seqHi !== b.seqHi) return a.seqHi < b.seqHi ? -1 : 1
  if (a.seqLo !== b.seqLo) return a.seqLo < b.seqLo ? -1 : 1
  return 0
}

export function equalIds(a: StreamId, b: StreamId): boolean {
  return a.seqLo === b.seqLo && a.msLo === b.msLo && a.msHi === b.msHi && a.seqHi === b.seqHi
}

export function isZeroId(a: StreamId): boolean {
  return (a.msHi | a.msLo | a.seqHi | a.seqLo) === 0
}

/** The ID of the millisecond `ms` (a whole number up to 2^53) and sequence `seq` (likewise). */
export function idOf(ms: number, seq = 0): StreamId {
  // Not `%`: of doubles it is a call. As unsigned integers, or V8 takes what was worked out of doubles for one.
  const msHi = Math.floor(ms / TWO_32) >>> 0
  const seqHi = Math.floor(seq / TWO_32) >>> 0
  return { msHi, msLo: (ms - msHi * TWO_32) >>> 0, seqHi, seqLo: (seq - seqHi * TWO_32) >>> 0 }
}

/** True when the millisecond `ms` (a whole number up to 2^53) lies behind that of `id`. */
export function isMsAbove(ms: number, id: StreamId): boolean {
  // A double rounds what is above 2^53, but never below it.
  return ms > id.msHi * TWO_32 + id.msLo
}

/** The next ID, or undefined after the last possible one. */
export function nextId(a: StreamId): StreamId | undefined {
  if (a.seqLo < U32_MAX) return { msHi: a.msHi, msLo: a.msLo, seqHi: a.seqHi, seqLo: a.seqLo + 1 }
  if (a.seqHi < U32_MAX) return { msHi: a.msHi, msLo: a.msLo, seqHi: a.seqHi + 1, seqLo: 0 }
  if (a.msLo < U32_MAX) return { msHi: a.msHi, msLo: a.msLo + 1, seqHi: 0, seqLo: 0 }
  if (a.msHi < U32_MAX) return { msHi: a.msHi + 1, msLo: 0, seqHi: 0, seqLo: 0 }
  return undefined
}

/** The ID before, or undefined before 0-0. */
export function previousId(a: StreamId): StreamId | undefined {
  if (a.seqLo > 0) return { msHi: a.msHi, msLo: a.msLo, seqHi: a.seqHi, seqLo: a.seqLo - 1 }
  if (a.seqHi > 0) return idAtBound(a.msHi, a.msLo, a.seqHi - 1, U32_MAX)
  if (a.msLo > 0) return idAtBound(a.msHi, a.msLo - 1, U32_MAX, U32_MAX)
  if (a.msHi > 0) return idAtBound(a.msHi - 1, U32_MAX, U32_MAX, U32_MAX)
  return undefined
}

export function putId(bytes: Uint8Array, at: number, id: StreamId): void {
  putU32(bytes, at, id.msHi)
  putU32(bytes, at + 4, id.msLo)
  putU32(bytes, at + 8, id.seqHi)
  putU32(bytes, at + 12, id.seqLo)
}

export function getId(bytes: Uint8Array, at: number): StreamId {
  return {
    msHi: getU32(bytes, at),
    msLo: getU32(bytes, at + 4),
    seqHi: getU32(bytes, at + 8),
    seqLo: getU32(bytes, at + 12),
  }
}

/** Sign of (the encoded ID at `at`) minus `id`, without building an object. */
export function compareIdAt(bytes: Uint8Array, at: number, id: StreamId): number {
  let d = getU32(bytes, at) - id.msHi
  if (d !== 0) return d
  d = getU32(bytes, at + 4) - id.msLo
  if (d !== 0) return d
  d = getU32(bytes, at + 8) - id.seqHi
  if (d !== 0) return d
  return getU32(bytes, at + 12) - id.seqLo
}

/** Whether the encoded ID at `at` is the one whose four halves lie in halves[from, from + 4). */
export function equalIdAt(bytes: Uint8Array, at: number, halves: Uint32Array, from: number): boolean {
  return (
    getU32(bytes, at + 12) === halves[from + 3] &&
    getU32(bytes, at + 4) === halves[from + 1] &&
    getU32(bytes, at + 8) === halves[from + 2] &&
    getU32(bytes, at) === halves[from]
  )
}

function putU32(b: Uint8Array, at: number, v: number): void {
  b[at] = v >>> 24
  b[at + 1] = v >>> 16
  b[at + 2] = v >>> 8
  b[at + 3] = v
}

/** Big-endian. */
export function getU32(b: Uint8Array, at: number): number {
  return ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0
}

// --- ID to text

/** `<ms>-<seq>` in decimal. */
export function formatId(id: StreamId): string {
  return `${u64Text(id.msHi, id.msLo)}-${u64Text(id.seqHi, id.seqLo)}`
}

/** Length in bytes of formatId(id). */
export function idTextBytes(id: StreamId): number {
  return u64Digits(id.msHi, id.msLo) + 1 + u64Digits(id.seqHi, id.seqLo)
}

/** Writes formatId(id) to `target` at `at`, which must have room; returns the offset behind it. */
export function writeIdDigits(target: Uint8Array, at: number, id: StreamId): number {
  const dash = writeU64(target, at, id.msHi, id.msLo)
  target[dash] = MINUS
  return writeU64(target, dash + 1, id.seqHi, id.seqLo)
}

function u64Text(hi: number, lo: number): string {
  return hi <= SAFE_HI_MAX ? String(hi * TWO_32 + lo) : String((BigInt(hi) << 32n) | BigInt(lo))
}

function u64Digits(hi: number, lo: number): number {
  if (hi > SAFE_HI_MAX) return u64Text(hi, lo).length
  const value = hi * TWO_32 + lo
  let digits = 1
  for (let bound = 10; value >= bound; bound *= 10) digits++
  return digits
}

function writeU64(target: Uint8Array, at: number, hi: number, lo: number): number {
  const digits = u64Digits(hi, lo)
  const end = at + digits
  if (hi > SAFE_HI_MAX) {
    const text = u64Text(hi, lo)
    for (let i = 0; i < digits; i++) target[at + i] = text.charCodeAt(i)
    return end
  }
  // Parts of nine digits fit 32-bit integers, whose division is several times faster than that of doubles.
  let rest = hi * TWO_32 + lo
  let last = end
  while (rest >= 1e9) {
    const above = Math.floor(rest / 1e9)
    writeU32Digits(target, last - 9, last, rest - above * 1e9)
    last -= 9
    rest = above
  }
  writeU32Digits(target, at, last, rest)
  return end
}

function writeU32Digits(target: Uint8Array, from: number, to: number, value: number): void {
  let rest = value | 0
  for (let i = to - 1; i >= from; i--) {
    const above = (rest / 10) | 0
    target[i] = ZERO + rest - above * 10
    rest = above
  }
}

// --- text to ID. Redis reads the halves of an ID with C's strtoull after a stricter reader gave up, so that leading
// zeros, white space before the digits and a '+' are accepted, and some '-' wrap around; and it reads a C string: a NUL
// byte ends the text. The first '-' parts the halves.

const MINUS = 45
const PLUS = 43
const STAR = 42
const ZERO = 48
/** So many digits fit a double without loss. */
const SAFE_DIGITS = 15
/** Longer text is no ID, whatever it says. */
const TEXT_BYTES_MAX = 127
const U64_MAX = 0xffffffffffffffffn
const INT64_MIN_MAGNITUDE = 0x8000000000000000n

// The halves of the number last scanned: a pair of results without an object for each.
let scannedHi = 0
let scannedLo = 0

/**
 * The ID in `bytes[from, to)`: '<ms>' or '<ms>-<seq>'. Undefined when it is none.
 * @param missingSeq the sequence when there is only '<ms>'
 */
export function parseId(bytes: Uint8Array, from: number, to: number, missingSeq: 0 | 'max' = 0): StreamId | undefined {
  const dash = scanPlain(bytes, from, to)
  if (dash < 0) return parseOddId(bytes, from, to, missingSeq)
  const msHi = scannedHi
  const msLo = scannedLo
  if (dash === to) return withSeq(msHi, msLo, missingSeq)
  if (scanPlain(bytes, dash + 1, to) !== to) return parseOddId(bytes, from, to, missingSeq)
  return { msHi, msLo, seqHi: scannedHi, seqLo: scannedLo }
}

/** As parseId(), into halves[target, target + 4) instead of an object; false when it is no ID. */
export function parseIdInto(bytes: Uint8Array, from: number, to: number, halves: Uint32Array, target: number): boolean {
  const dash = scanPlain(bytes, from, to)
  const msHi = scannedHi
  const msLo = scannedLo
  if (dash > 0 && dash < to && scanPlain(bytes, dash + 1, to) === to) {
    halves[target] = msHi
    halves[target + 1] = msLo
    halves[target + 2] = scannedHi
    halves[target + 3] = scannedLo
    return true
  }
  const id = parseId(bytes, from, to)
  if (id === undefined) return false
  halves[target] = id.msHi
  halves[target + 1] = id.msLo
  halves[target + 2] = id.seqHi
  halves[target + 3] = id.seqLo
  return true
}

/** As parseId(), for an end of a range: '-' is the lowest ID, '+' the highest. A '(' before it is the caller's. */
export function parseRangeId(bytes: Uint8Array, from: number, to: number, missingSeq: 0 | 'max'): StreamId | undefined {
  if (to > from && to - from <= TEXT_BYTES_MAX && (bytes[from] === MINUS || bytes[from] === PLUS)) {
    if (to === from + 1 || bytes[from + 1] === 0) return bytes[from] === MINUS ? ID_MIN : ID_MAX
  }
  return parseId(bytes, from, to, missingSeq)
}

/** '<ms>-*' (XADD: the sequence is the server's to choose) as <ms>-0; undefined when the text has another form. */
export function parseAutoSeqId(bytes: Uint8Array, from: number, to: number): StreamId | undefined {
  if (to - from > TEXT_BYTES_MAX) return undefined
  const end = textEnd(bytes, from, to)
  if (end - from < 3 || bytes[end - 1] !== STAR || bytes[end - 2] !== MINUS) return undefined
  if (dashIn(bytes, from, end) !== end - 2 || !scanU64(bytes, from, end - 2)) return undefined
  return withSeq(scannedHi, scannedLo, 0)
}

/** An unsigned 64-bit number in `bytes[from, to)` as Redis reads the half of an ID; undefined when it is none. */
export function parseU64(bytes: Uint8Array, from: number, to: number): { hi: number; lo: number } | undefined {
  if (!scanU64(bytes, from, textEnd(bytes, from, to))) return undefined
  return { hi: scannedHi, lo: scannedLo }
}

function withSeq(msHi: number, msLo: number, seq: 0 | 'max'): StreamId {
  return seq === 'max' ? idAtBound(msHi, msLo, U32_MAX, U32_MAX) : { msHi, msLo, seqHi: 0, seqLo: 0 }
}

/** Scans 1 to 15 digits without a leading zero; returns where they end: at `to` or at a '-', else -1. */
function scanPlain(bytes: Uint8Array, from: number, to: number): number {
  const end = to - from > SAFE_DIGITS ? from + SAFE_DIGITS + 1 : to
  let value = 0
  let i = from
  for (; i < end; i++) {
    const digit = bytes[i] - ZERO
    if (digit < 0 || digit > 9) break
    value = value * 10 + digit
  }
  if (i === from || i - from > SAFE_DIGITS || (i < to && bytes[i] !== MINUS)) return -1
  if (bytes[from] === ZERO && i > from + 1) return -1
  scannedHi = Math.floor(value / TWO_32) >>> 0
  scannedLo = value >>> 0
  return i
}

function parseOddId(bytes: Uint8Array, from: number, to: number, missingSeq: 0 | 'max'): StreamId | undefined {
  if (to - from > TEXT_BYTES_MAX) return undefined
  const end = textEnd(bytes, from, to)
  const dash = dashIn(bytes, from, end)
  if (!scanU64(bytes, from, dash)) return undefined
  const msHi = scannedHi
  const msLo = scannedLo
  if (dash === end) return withSeq(msHi, msLo, missingSeq)
  if (!scanU64(bytes, dash + 1, end)) return undefined
  return { msHi, msLo, seqHi: scannedHi, seqLo: scannedLo }
}

/** Where the C string in bytes[from, to) ends. */
function textEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = from
  while (end < to && bytes[end] !== 0) end++
  return end
}

/** The first '-' in bytes[from, to), or `to`. */
function dashIn(bytes: Uint8Array, from: number, to: number): number {
  let at = from
  while (at < to && bytes[at] !== MINUS) at++
  return at
}

/** Scans bytes[from, to), free of NUL, as strtoull would; but a negative int64 in its canonical form is no number. */
function scanU64(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from
  while (at < to && (bytes[at] === 32 || (bytes[at] >= 9 && bytes[at] <= 13))) at++
  const spaced = at > from
  const negative = bytes[at] === MINUS
  if (at < to && (negative || bytes[at] === PLUS)) at++
  if (at >= to) return false
  const canonical = !spaced && bytes[at] !== ZERO
  let big = 0n
  for (; at < to; at++) {
    const digit = bytes[at] - ZERO
    if (digit < 0 || digit > 9) return false
    big = big * 10n + BigInt(digit)
  }
  if (big > U64_MAX) return false
  if (negative) {
    if (canonical && big <= INT64_MIN_MAGNITUDE) return false
    big = BigInt.asUintN(64, -big)
  }
  scannedHi = Number(big >> 32n)
  scannedLo = Number(big & 0xffffffffn)
  return true
}
