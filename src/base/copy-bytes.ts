// A copy between buffers that is fast for the lengths of names, values and entries. Used by: store, pages.
//
// A call into the runtime costs 55 ns and more whatever the length, a loop over bytes 1 ns for each. Words of four
// bytes take half of either for the lengths of most entries, but need a DataView, which costs as much as a call: one is
// made for a buffer that comes again soon, as that of the journal, of what was received and of a page that grows do.

/** Up to here a loop is fastest. */
const LOOP_BYTES_MAX = 12
/** As LOOP_BYTES_MAX, where there are no views. */
const LOOP_BYTES_MAX_BLIND = 36
/** From here on the runtime is faster than words. */
const WORDS_BYTES_MAX = 144
/** Of longer buffers no views are kept: they would not be freed. */
const VIEWED_BYTES_MAX = 1024 * 1024

/** Views of the two buffers that came again last; two, because what is stored goes to a page and to the journal. */
class LastViews {
  #first: Buffer | undefined
  #second: Buffer | undefined
  #firstView: DataView | undefined
  #secondView: DataView | undefined
  #seen: Buffer | undefined
  #seenBefore: Buffer | undefined

  of(bytes: Buffer): DataView | undefined {
    if (bytes === this.#first) return this.#firstView
    if (bytes === this.#second) return this.#secondView
    if (bytes === this.#seen || bytes === this.#seenBefore) return this.#keep(bytes)
    if (bytes.length > VIEWED_BYTES_MAX) return undefined
    this.#seenBefore = this.#seen
    this.#seen = bytes
    return undefined
  }

  #keep(bytes: Buffer): DataView {
    this.#second = this.#first
    this.#secondView = this.#firstView
    this.#first = bytes
    return (this.#firstView = new DataView(bytes.buffer, bytes.byteOffset, bytes.length))
  }
}

const sources = new LastViews()
const targets = new LastViews()

/**
 * Copies source[from, to) to `target` at `at`, which must have room; within one buffer they must not overlap. Returns
 * where the copy ends in `target`.
 */
export function copyBytes(source: Buffer, from: number, to: number, target: Buffer, at: number): number {
  const length = to - from
  const end = at + length
  if (length > WORDS_BYTES_MAX) {
    source.copy(target, at, from, to)
    return end
  }
  let i = from
  let k = at
  if (length > LOOP_BYTES_MAX) {
    const read = sources.of(source)
    const write = targets.of(target)
    if (read !== undefined && write !== undefined) {
      for (const words = to - 3; i < words; i += 4, k += 4) write.setUint32(k, read.getUint32(i, true), true)
    } else if (length > LOOP_BYTES_MAX_BLIND) {
      source.copy(target, at, from, to)
      return end
    }
  }
  for (; i < to; i++, k++) target[k] = source[i]
  return end
}
