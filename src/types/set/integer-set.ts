// A set of 64-bit integers, in ascending order: Redis' intset. Used by: set-value.
// Numbers beyond 2^53 are bigints, all others numbers, so that each integer has one representation.

import { CorruptionError } from '../../base/errors.js'
import { int64Of } from '../../base/numbers.js'
import { FORM } from '../hashed/fields.js'
import type { Content, Fields } from '../hashed/fields.js'

const INTEGER_BYTES = 8
const MEMORY_BYTES = 16
const NOTHING = ''

/** Objects around the integers in memory, as measured. */
const OBJECT_BYTES = 200

export class IntegerSet implements Fields {
  readonly form = FORM.integers
  readonly #integers: (number | bigint)[] = []

  /** @throws CorruptionError */
  static decode(bytes: Buffer, what: string): IntegerSet {
    const set = new IntegerSet()
    if (bytes.length % INTEGER_BYTES !== 0) throw new CorruptionError(`${what} is cut off`)
    for (let at = 0; at < bytes.length; at += INTEGER_BYTES) {
      const value = bytes.readBigInt64BE(at)
      const small = Number(value)
      set.#integers.push(Number.isSafeInteger(small) ? small : value)
      const count = set.#integers.length
      if (count > 1 && set.#integers[count - 2] >= set.#integers[count - 1]) {
        throw new CorruptionError(`${what} has integers out of order`)
      }
    }
    return set
  }

  get count(): number {
    return this.#integers.length
  }

  get memoryBytes(): number {
    return OBJECT_BYTES + this.#integers.length * MEMORY_BYTES
  }

  has(field: string): boolean {
    const value = int64Of(field)
    return value !== undefined && this.#integers[this.#lowerBound(value)] === value
  }

  get(field: string): Content | undefined {
    return this.has(field) ? NOTHING : undefined
  }

  /** `field` must spell an integer; there are no values. */
  set(field: string): boolean {
    return this.add(int64Of(field)!)
  }

  add(value: number | bigint): boolean {
    const at = this.#lowerBound(value)
    if (this.#integers[at] === value) return false
    if (at === this.#integers.length) this.#integers.push(value)
    else this.#integers.splice(at, 0, value)
    return true
  }

  delete(field: string): boolean {
    const value = int64Of(field)
    if (value === undefined) return false
    const at = this.#lowerBound(value)
    if (this.#integers[at] !== value) return false
    this.#integers.splice(at, 1)
    return true
  }

  at(rank: number): string {
    return String(this.#integers[rank])
  }

  some(test: (field: string, value: Content) => boolean): boolean {
    for (const value of this.#integers) if (test(String(value), NOTHING)) return true
    return false
  }

  /** All of it: Redis takes no notice of COUNT here either. */
  scan(_cursor: number, _count: number, visit: (field: string, value: Content) => void): number {
    for (const value of this.#integers) visit(String(value), NOTHING)
    return 0
  }

  /** Eight bytes each, big-endian, ascending. */
  encode(): Buffer {
    const bytes = Buffer.allocUnsafe(this.#integers.length * INTEGER_BYTES)
    let at = 0
    for (const value of this.#integers) at = bytes.writeBigInt64BE(BigInt(value), at)
    return bytes
  }

  #lowerBound(value: number | bigint): number {
    const integers = this.#integers
    let low = 0
    let high = integers.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (integers[middle] < value) low = middle + 1
      else high = middle
    }
    return low
  }
}
