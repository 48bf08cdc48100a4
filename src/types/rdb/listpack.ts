// Listpacks, the packing of small collections and of stream nodes in Redis' dumps: reader and writer.
//
// Header: total bytes (uint32), number of elements (uint16, 65535 = count them), both low byte first; then the
// elements, each followed by its own length for walking backwards; then FF. An element is
//   0nnnnnnn   0..127                       11110000 + 4   string of a 32-bit length, low byte first
//   10llllll   string of up to 63 bytes     11110001 + 2   int16     11110011 + 4   int32
//   110nnnnn + 1   13-bit signed integer    11110010 + 3   int24     11110100 + 8   int64
//   1110llll + 1   string of up to 4095     (integers behind F1 to F4: low byte first)
// An integer stands for its decimal text; a text that is a canonical 64-bit integer is always packed as one.

import { readInt64 } from '../../base/numbers.js'
import { ownContent } from './own-content.js'
import { PayloadError } from './payload-error.js'

const HEADER_BYTES = 6
const END = 0xff
const COUNT_UNKNOWN = 0xffff
/** '-9223372036854775808'. */
const INTEGER_CHARS_MAX = 20
const BACK_BYTES_MAX = 5

/** Walks over the elements of bytes that a client made; each next() leaves the element it passed in the fields. */
export class ListpackReader {
  /** The element as an integer; undefined when it is a string. */
  integer: number | bigint | undefined
  /** The element, a string, is bytes[from, to). */
  from = 0
  to = 0
  #at = HEADER_BYTES
  readonly #end: number
  #rest: number

  /** @throws PayloadError */
  constructor(readonly bytes: Buffer) {
    this.#end = bytes.length - 1
    if (bytes.length <= HEADER_BYTES || bytes.readUInt32LE(0) !== bytes.length || bytes[this.#end] !== END) {
      throw new PayloadError('listpack of another length than it says')
    }
    const count = bytes.readUInt16LE(4)
    this.#rest = count === COUNT_UNKNOWN ? Infinity : count
  }

  get atEnd(): boolean {
    return this.#at === this.#end
  }

  /** @throws PayloadError when elements are left, or others were promised */
  end(): void {
    if (!this.atEnd) throw new PayloadError('listpack with bytes behind its end')
    if (this.#rest !== 0 && this.#rest !== Infinity) throw new PayloadError('listpack with fewer elements than it says')
  }

  /** Passes an element. @throws PayloadError */
  next(): void {
    const start = this.#at
    if (this.#rest-- === 0 || start === this.#end) throw new PayloadError('listpack without the element that is due')
    const size = this.#element(this.bytes[start], start)
    this.#at = start + size + this.#backLength(start + size, size)
  }

  /** Passes an element that is a whole number from 0 to `max`. @throws PayloadError */
  whole(max: number): number {
    this.next()
    const value = this.integer
    if (typeof value !== 'number' || value < 0 || value > max) throw new PayloadError('listpack with a wrong number')
    return value
  }

  /** Passes an integer. @throws PayloadError */
  signed(): number | bigint {
    this.next()
    if (this.integer === undefined) throw new PayloadError('listpack with a string for a number')
    return this.integer
  }

  /** Passes an element and gives its text, as latin1. @throws PayloadError */
  text(): string {
    this.next()
    return this.integer === undefined ? this.bytes.latin1Slice(this.from, this.to) : String(this.integer)
  }

  /** As text(), as the content of a value. @throws PayloadError */
  content(): string | Buffer {
    this.next()
    return this.integer === undefined ? ownContent(this.bytes.subarray(this.from, this.to)) : String(this.integer)
  }

  /** As text(), as bytes; a view where it lies there as such. @throws PayloadError */
  element(): Buffer {
    this.next()
    if (this.integer !== undefined) return Buffer.from(String(this.integer), 'latin1')
    return this.bytes.subarray(this.from, this.to)
  }

  /** Decodes the element at `at`; the bytes it takes, its back length not counted. */
  #element(first: number, at: number): number {
    const { bytes } = this
    if (first < 0x80) return this.#number(first, 1)
    if (first < 0xc0) return this.#string(at, 1, first & 63)
    if (first < 0xe0) return this.#number(((((first & 31) << 8) | this.#byte(at + 1)) << 19) >> 19, 2)
    if (first < 0xf0) return this.#string(at, 2, ((first & 15) << 8) | this.#byte(at + 1))
    const after = at + 1
    switch (first) {
      case 0xf0:
        this.#need(at, 5)
        return this.#string(at, 5, bytes.readUInt32LE(after))
      case 0xf1:
        this.#need(at, 3)
        return this.#number(bytes.readInt16LE(after), 3)
      case 0xf2:
        this.#need(at, 4)
        return this.#number(bytes.readIntLE(after, 3), 4)
      case 0xf3:
        this.#need(at, 5)
        return this.#number(bytes.readInt32LE(after), 5)
      case 0xf4: {
        this.#need(at, 9)
        const wide = bytes.readBigInt64LE(after)
        const value = Number(wide)
        return this.#number(Number.isSafeInteger(value) ? value : wide, 9)
      }
      default:
        throw new PayloadError('listpack with an unknown element')
    }
  }

  #number(value: number | bigint, size: number): number {
    this.integer = value
    return size
  }

  #string(at: number, headerBytes: number, length: number): number {
    this.#need(at, headerBytes + length)
    this.integer = undefined
    this.from = at + headerBytes
    this.to = this.from + length
    return headerBytes + length
  }

  #byte(at: number): number {
    this.#need(at, 1)
    return this.bytes[at]
  }

  #need(at: number, size: number): void {
    if (at + size > this.#end) throw new PayloadError('listpack with an element that is cut off')
  }

  /** Checks the back length at `at`; the bytes it takes. */
  #backLength(at: number, size: number): number {
    const length = putBackLength(back, 0, size)
    this.#need(at, length)
    for (let i = 0; i < length; i++) {
      if (this.bytes[at + i] !== back[i]) throw new PayloadError('listpack with a wrong back length')
    }
    return length
  }
}

const back = Buffer.alloc(BACK_BYTES_MAX)

/** The length of an element behind it, seven bits a byte, the low ones last, all but the first byte marked. */
function putBackLength(bytes: Buffer, at: number, size: number): number {
  const length = size <= 127 ? 1 : size < 16383 ? 2 : size < 2097151 ? 3 : size < 268435455 ? 4 : 5
  let rest = size
  for (let i = length - 1; i >= 0; i--) {
    bytes[at + i] = (rest & 127) | (i > 0 ? 128 : 0)
    rest >>>= 7
  }
  return length
}

/** Builds one listpack after the other in memory of its own. */
export class ListpackWriter {
  #bytes: Buffer = Buffer.allocUnsafeSlow(4096)
  #used = HEADER_BYTES
  #count = 0

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** Bytes so far, less the end. */
  get size(): number {
    return this.#used
  }

  /** Forgets everything. */
  clear(): void {
    this.#used = HEADER_BYTES
    this.#count = 0
  }

  /** An integer of 64 bits. */
  integer(value: number | bigint): void {
    const at = this.#reserve(9)
    this.#finish(at, putInteger(this.#bytes, at, value))
  }

  /** The text bytes[from, to). */
  bytes(bytes: Buffer, from: number, to: number): void {
    const length = to - from
    const integer = length <= INTEGER_CHARS_MAX ? readInt64(bytes, from, to) : undefined
    if (integer !== undefined) return this.integer(integer)
    const at = this.#reserve(length + 5)
    const header = putStringHeader(this.#bytes, at, length)
    bytes.copy(this.#bytes, at + header, from, to)
    this.#finish(at, header + length)
  }

  /** The listpack; good until the next change. */
  done(): Buffer {
    const end = this.#reserve(1)
    this.#bytes[end] = END
    this.#bytes.writeUInt32LE(end + 1, 0)
    this.#bytes.writeUInt16LE(Math.min(this.#count, COUNT_UNKNOWN), 4)
    return this.#bytes.subarray(0, end + 1)
  }

  #finish(at: number, size: number): void {
    this.#used = at + size + putBackLength(this.#bytes, at + size, size)
    this.#count++
  }

  /** Where the next element goes: there is room for one of `size` bytes and its back length. */
  #reserve(size: number): number {
    const end = this.#used + size + BACK_BYTES_MAX
    if (end > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, end))
      this.#bytes.copy(grown, 0, 0, this.#used)
      this.#bytes = grown
    }
    return this.#used
  }
}

function putStringHeader(bytes: Buffer, at: number, length: number): number {
  if (length < 64) {
    bytes[at] = 0x80 | length
    return 1
  }
  if (length < 4096) {
    bytes.writeUInt16BE(0xe000 | length, at)
    return 2
  }
  bytes[at] = 0xf0
  bytes.writeUInt32LE(length, at + 1)
  return 5
}

function putInteger(bytes: Buffer, at: number, value: number | bigint): number {
  if (typeof value === 'bigint' || value < -0x80000000 || value > 0x7fffffff) {
    bytes[at] = 0xf4
    bytes.writeBigInt64LE(BigInt(value), at + 1)
    return 9
  }
  if (value >= 0 && value <= 127) {
    bytes[at] = value
    return 1
  }
  if (value >= -4096 && value <= 4095) {
    bytes.writeUInt16BE(0xc000 | (value & 0x1fff), at)
    return 2
  }
  if (value >= -0x8000 && value <= 0x7fff) {
    bytes[at] = 0xf1
    bytes.writeInt16LE(value, at + 1)
    return 3
  }
  if (value >= -0x800000 && value <= 0x7fffff) {
    bytes[at] = 0xf2
    bytes.writeIntLE(value, at + 1, 3)
    return 4
  }
  bytes[at] = 0xf3
  bytes.writeInt32LE(value, at + 1)
  return 5
}
