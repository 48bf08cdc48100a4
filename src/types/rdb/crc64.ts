// CRC-64 with Jones' polynomial, as Redis puts it behind its dumps: reflected, starting from zero, nothing inverted.
// A bigint per byte would be far too slow, so the two halves of the sum are kept apart, and eight bytes go at a time.

const POLYNOMIAL_HI = 0x95ac9329
const POLYNOMIAL_LO = 0xac4bc9b5
const STRIDE = 8
export const CRC64_BYTES = 8

/** Table k, entry i, at 256 * k + i: the sum of byte i with k zero bytes behind it. */
const HI = new Uint32Array(256 * STRIDE)
const LO = new Uint32Array(256 * STRIDE)
for (let i = 0; i < 256; i++) {
  let hi = 0
  let lo = i
  for (let bit = 0; bit < 8; bit++) {
    const odd = (lo & 1) === 1
    lo = (lo >>> 1) | (hi << 31)
    hi >>>= 1
    if (odd) {
      hi ^= POLYNOMIAL_HI
      lo ^= POLYNOMIAL_LO
    }
  }
  HI[i] = hi
  LO[i] = lo
}
for (let i = 256; i < 256 * STRIDE; i++) {
  const hi = HI[i - 256]
  const lo = LO[i - 256]
  HI[i] = (hi >>> 8) ^ HI[lo & 255]
  LO[i] = ((lo >>> 8) | (hi << 24)) ^ LO[lo & 255]
}

/** Writes the sum of bytes[0, end) to bytes[at, at + 8), little-endian as in a dump. */
export function putCrc64(bytes: Buffer, end: number, at: number): void {
  const sum = crc64(bytes, end)
  bytes.writeUInt32LE(sum.lo, at)
  bytes.writeUInt32LE(sum.hi, at + 4)
}

/** Whether bytes[at, at + 8) are the sum of bytes[0, end). */
export function hasCrc64(bytes: Buffer, end: number, at: number): boolean {
  const sum = crc64(bytes, end)
  return bytes.readUInt32LE(at) === sum.lo && bytes.readUInt32LE(at + 4) === sum.hi
}

function crc64(bytes: Buffer, end: number): { hi: number; lo: number } {
  let hi = 0
  let lo = 0
  let at = 0
  for (; at + STRIDE <= end; at += STRIDE) {
    const a = lo ^ (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24))
    const b = hi ^ (bytes[at + 4] | (bytes[at + 5] << 8) | (bytes[at + 6] << 16) | (bytes[at + 7] << 24))
    const i0 = 1792 + (a & 255)
    const i1 = 1536 + ((a >>> 8) & 255)
    const i2 = 1280 + ((a >>> 16) & 255)
    const i3 = 1024 + (a >>> 24)
    const i4 = 768 + (b & 255)
    const i5 = 512 + ((b >>> 8) & 255)
    const i6 = 256 + ((b >>> 16) & 255)
    const i7 = b >>> 24
    hi = HI[i0] ^ HI[i1] ^ HI[i2] ^ HI[i3] ^ HI[i4] ^ HI[i5] ^ HI[i6] ^ HI[i7]
    lo = LO[i0] ^ LO[i1] ^ LO[i2] ^ LO[i3] ^ LO[i4] ^ LO[i5] ^ LO[i6] ^ LO[i7]
  }
  for (; at < end; at++) {
    const i = (lo ^ bytes[at]) & 255
    lo = ((lo >>> 8) | (hi << 24)) ^ LO[i]
    hi = (hi >>> 8) ^ HI[i]
  }
  return { hi: hi >>> 0, lo: lo >>> 0 }
}
