// A page of elements without keys: the elements of a list, which are where they are counted to be.
// Elements lie in one buffer in the order they were written; slots, in the order of the list, say where. So pushing and
// popping at either end moves neither bytes nor slots, and bytes handed out never change: replacing or removing an
// element leaves its bytes behind as waste until the page moves to a new buffer.
// Element: varint bytes, bytes. On disk they lie in order without waste. Used by: types/list.

import { assert } from '../base/assert.js'
import { copyBytes } from '../base/copy-bytes.js'
import { CorruptionError } from '../base/errors.js'
import { LENGTH_BYTES_MAX, lengthAt, putLength, skipLength } from './length-prefix.js'
import { PAGE_KIND, type Page, type PageCodec } from './page.js'
import { bodyBytesFilling } from './page-row.js'

export const ELEMENT_BODY_BYTES_MAX = bodyBytesFilling(2)
const CAPACITY_BYTES_MIN = 128
const SLOTS_MIN = 8
const OBJECT_BYTES = 200
/** Up to so many bytes a loop beats a native call. */
const BYTES_COMPARED_HERE = 16
const NO_BYTES = Buffer.alloc(0)

export class ElementPage implements Page<undefined> {
  #bytes: Buffer
  #used: number
  /** Bytes of [0, used) that no slot refers to. */
  #wasted = 0
  /** Offsets of the elements: `count` of them from `first` on, room before and behind. */
  #slots: Uint32Array
  #first = 0
  count = 0

  private constructor(bytes: Buffer, slots: number) {
    this.#bytes = bytes
    this.#used = bytes.length
    this.#slots = new Uint32Array(slots)
  }

  static empty(): ElementPage {
    return new ElementPage(NO_BYTES, 0)
  }

  /** A page over the `count` elements in `body`. @throws CorruptionError unless they are that many */
  static decode(body: Buffer, count: number): ElementPage {
    // Each element takes a byte at least: a damaged count must not reserve memory.
    if (count > body.length) throw new CorruptionError(`${count} elements in ${body.length} bytes`)
    const page = new ElementPage(body, count)
    let at = 0
    for (let i = 0; i < count; i++) {
      const end = elementEnd(body, at)
      if (end === -1) throw new CorruptionError(`element ${i} of ${count} is cut off`)
      page.#slots[i] = at
      at = end
    }
    if (at !== body.length) throw new CorruptionError(`more than ${count} elements`)
    page.count = count
    return page
  }

  get bodyBytes(): number {
    return this.#used - this.#wasted
  }

  get memoryBytes(): number {
    return this.#bytes.length + this.#slots.length * 4 + OBJECT_BYTES
  }

  get summary(): number {
    return 0
  }

  get visibleSummary(): number {
    return 0
  }

  lowerBound(): number {
    return 0
  }

  keyAt(): undefined {
    return undefined
  }

  isAt(): boolean {
    return true
  }

  /** A view of the page's bytes, which never change. */
  at(index: number): Buffer {
    const bytes = this.#bytes
    const at = this.#slots[this.#first + index]
    const from = skipLength(bytes, at)
    return bytes.subarray(from, from + lengthAt(bytes, at))
  }

  /** True when the element is `value`. */
  is(index: number, value: Buffer): boolean {
    const bytes = this.#bytes
    const at = this.#slots[this.#first + index]
    const length = lengthAt(bytes, at)
    if (length !== value.length) return false
    const from = skipLength(bytes, at)
    const compared = Math.min(length, BYTES_COMPARED_HERE)
    for (let i = 0; i < compared; i++) if (bytes[from + i] !== value[i]) return false
    return compared === length || bytes.compare(value, compared, length, from + compared, from + length) === 0
  }

  /** Adds an element (copied) before the one at `index`; at the end when that is `count`. */
  insert(index: number, value: Buffer): void {
    this.#insertSlot(index, this.#write(value))
  }

  replace(index: number, value: Buffer): void {
    // The old element's bytes must not be carried along should the bytes move.
    this.removeRange(index, index + 1)
    this.insert(index, value)
  }

  removeRange(from: number, to: number): void {
    assert(from >= 0 && to <= this.count, 'the elements to remove are there')
    if (from >= to) return
    for (let i = from; i < to; i++) this.#wasted += this.#sizeAt(i)
    const first = this.#first
    const end = first + this.count
    if (from === 0) this.#first += to
    else if (to < this.count) this.#slots.copyWithin(first + from, first + to, end)
    this.count -= to - from
  }

  splitOff(at: number): ElementPage {
    const right = new ElementPage(NO_BYTES, this.count - at)
    right.#take(this, at)
    this.removeRange(at, this.count)
    this.#rewrite(0)
    return right
  }

  absorb(next: ElementPage): void {
    this.#take(next, 0)
  }

  indexAtBytes(bytes: number): number {
    let rest = bytes
    for (let i = 0; i < this.count; i++) {
      rest -= this.#sizeAt(i)
      if (rest < 0) return i
    }
    return this.count
  }

  encodeBody(): Buffer {
    const body = Buffer.allocUnsafe(this.bodyBytes)
    let to = 0
    for (let i = 0; i < this.count; i++) {
      const at = this.#slots[this.#first + i]
      to += this.#bytes.copy(body, to, at, at + this.#sizeAt(i))
    }
    assert(to === body.length, 'waste and elements make up the page')
    return body
  }

  #sizeAt(index: number): number {
    const at = this.#slots[this.#first + index]
    return elementEnd(this.#bytes, at) - at
  }

  #write(value: Buffer): number {
    const needed = LENGTH_BYTES_MAX + value.length
    if (this.#used + needed > this.#bytes.length) this.#rewrite(needed)
    const at = this.#used
    const to = putLength(this.#bytes, at, value.length)
    this.#used = copyBytes(value, 0, value.length, this.#bytes, to)
    return at
  }

  #insertSlot(index: number, at: number): void {
    if (index === 0 && this.#first > 0) {
      this.#first--
    } else {
      if (this.#first + this.count === this.#slots.length || index === 0) this.#makeRoom(index === 0)
      const slots = this.#slots
      if (index === 0) this.#first--
      else slots.copyWithin(this.#first + index + 1, this.#first + index, this.#first + this.count)
    }
    this.#slots[this.#first + index] = at
    this.count++
  }

  /** Moves the slots so that there is room before them, or behind. */
  #makeRoom(before: boolean): void {
    const { count } = this
    const old = this.#slots.subarray(this.#first, this.#first + count)
    const slots = new Uint32Array(Math.max(SLOTS_MIN, count * 2))
    const room = slots.length - count
    // Some at the other end too, or pushing at both ends in turn would move all slots each time.
    this.#first = before ? room - (room >> 2) : room >> 2
    slots.set(old, this.#first)
    this.#slots = slots
  }

  /** Moves the elements to a new buffer, without waste and with room for `bytes` more. */
  #rewrite(bytes: number): void {
    const old = this.#bytes
    const needed = this.bodyBytes + bytes
    const roomy = Math.max(needed, Math.min(needed * 2, ELEMENT_BODY_BYTES_MAX), bytes === 0 ? 0 : CAPACITY_BYTES_MIN)
    const fresh = Buffer.allocUnsafeSlow(roomy)
    let used = 0
    for (let i = this.#first; i < this.#first + this.count; i++) {
      const at = this.#slots[i]
      this.#slots[i] = used
      used += old.copy(fresh, used, at, elementEnd(old, at))
    }
    this.#bytes = fresh
    this.#used = used
    this.#wasted = 0
  }

  /** Adds copies of elements [from, count) of `other` behind its own. */
  #take(other: ElementPage, from: number): void {
    for (let i = from; i < other.count; i++) this.insert(this.count, other.at(i))
  }
}

/** Bytes that an element of `length` bytes takes in a page. */
export function elementBytes(length: number): number {
  let digits = 1
  for (let rest = length; rest >= 128; rest = Math.floor(rest / 128)) digits++
  return digits + length
}

/** Where the element at `at` ends, or -1 when it does not end within the bytes. */
function elementEnd(bytes: Uint8Array, at: number): number {
  const from = skipLength(bytes, at)
  if (from > bytes.length || from - at > LENGTH_BYTES_MAX) return -1
  const end = from + lengthAt(bytes, at)
  return end <= bytes.length ? end : -1
}

export const elementCodec: PageCodec<undefined, ElementPage> = {
  kind: PAGE_KIND.elements,
  keyless: true,
  bodyBytesMax: ELEMENT_BODY_BYTES_MAX,
  compare: () => 0,
  encodeKey: () => NO_BYTES,
  decodeKey(bytes) {
    if (bytes.length > 0) throw new CorruptionError('a page of a list has a key')
    return undefined
  },
  separator: () => undefined,
  empty: () => ElementPage.empty(),
  decode: (body, count) => ElementPage.decode(body, count),
}
