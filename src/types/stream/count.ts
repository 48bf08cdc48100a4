// Counters of 64 bits that a client can set (entries-added, entries-read, delivery counts): a number while it is exact,
// a bigint beyond 2^53. Never NaN, never a fraction; a sum beyond int64 wraps, as Redis' does.

export type Count = number | bigint

const TWO_32 = 4294967296

export function addCounts(a: Count, b: Count): Count {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (sum <= Number.MAX_SAFE_INTEGER && sum >= Number.MIN_SAFE_INTEGER) return sum
  }
  return countOf(BigInt.asIntN(64, BigInt(a) + BigInt(b)))
}

export function subtractCounts(a: Count, b: Count): Count {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (difference <= Number.MAX_SAFE_INTEGER && difference >= Number.MIN_SAFE_INTEGER) return difference
  }
  return countOf(BigInt.asIntN(64, BigInt(a) - BigInt(b)))
}

/** The most that an int64 holds: what XNACK FATAL makes of a delivery count. */
export const COUNT_MAX: Count = 2n ** 63n - 1n

/** One delivery more; at the maximum it stays. */
export function oneMore(deliveries: Count): Count {
  return deliveries === COUNT_MAX ? COUNT_MAX : addCounts(deliveries, 1)
}

/** The smallest form of an int64: a number when that is exact. */
export function countOf(value: bigint): Count {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Writes 8 bytes, big-endian, two's complement. */
export function putCount(bytes: Buffer, at: number, value: Count): void {
  if (typeof value === 'bigint') {
    bytes.writeBigInt64BE(value, at)
    return
  }
  const hi = Math.floor(value / TWO_32)
  bytes.writeInt32BE(hi, at)
  bytes.writeUInt32BE(value - hi * TWO_32, at + 4)
}

export function getCount(bytes: Buffer, at: number): Count {
  const hi = bytes.readInt32BE(at)
  if (hi < 0x200000 && hi > -0x200000) return hi * TWO_32 + bytes.readUInt32BE(at + 4)
  return countOf(bytes.readBigInt64BE(at))
}
