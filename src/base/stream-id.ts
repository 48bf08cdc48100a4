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
export const ID_MAX: StreamId = { msHi: U32_MAX, msLo: U32_MAX, seqHi: U32_MAX, seqLo: U32_MAX }

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
  return {
    msHi: Math.floor(ms / TWO_32),
    msLo: ms % TWO_32,
    seqHi: Math.floor(seq / TWO_32),
    seqLo: seq % TWO_32,
  }
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
  if (a.seqHi > 0) return { msHi: a.msHi, msLo: a.msLo, seqHi: a.seqHi - 1, seqLo: U32_MAX }
  if (a.msLo > 0) return { msHi: a.msHi, msLo: a.msLo - 1, seqHi: U32_MAX, seqLo: U32_MAX }
  if (a.msHi > 0) return { msHi: a.msHi - 1, msLo: U32_MAX, seqHi: U32_MAX, seqLo: U32_MAX }
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

function putU32(b: Uint8Array, at: number, v: number): void {
  b[at] = v >>> 24
  b[at + 1] = v >>> 16
  b[at + 2] = v >>> 8
  b[at + 3] = v
}

function getU32(b: Uint8Array, at: number): number {
  return ((b[at] << 24) | (b[at + 1] << 16) | (b[at + 2] << 8) | b[at + 3]) >>> 0
}

/** `<ms>-<seq>` in decimal. */
export function formatId(id: StreamId): string {
  return `${u64Text(id.msHi, id.msLo)}-${u64Text(id.seqHi, id.seqLo)}`
}

function u64Text(hi: number, lo: number): string {
  return hi <= SAFE_HI_MAX ? String(hi * TWO_32 + lo) : String((BigInt(hi) << 32n) | BigInt(lo))
}

/** The digits of an unsigned 64-bit number in `bytes[from, to)` as two halves, or undefined when it is none. */
export function parseU64(bytes: Uint8Array, from: number, to: number): { hi: number; lo: number } | undefined {
  const digits = to - from
  if (digits < 1 || digits > 20) return undefined
  if (digits > 1 && bytes[from] === 48) return undefined // as Redis' string2ull: no leading zeros
  if (digits <= 15) {
    let v = 0
    for (let i = from; i < to; i++) {
      const d = bytes[i] - 48
      if (d < 0 || d > 9) return undefined
      v = v * 10 + d
    }
    return { hi: Math.floor(v / TWO_32), lo: v % TWO_32 }
  }
  let big = 0n
  for (let i = from; i < to; i++) {
    const d = bytes[i] - 48
    if (d < 0 || d > 9) return undefined
    big = big * 10n + BigInt(d)
  }
  if (big > 0xffffffffffffffffn) return undefined
  return { hi: Number(big >> 32n), lo: Number(big & 0xffffffffn) }
}
