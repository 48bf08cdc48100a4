// Which offsets are old enough that their dispatches need not be known any more. Used by: materializer.
// It only knows what it saw: after a restart dispatches are kept a whole window longer.

interface Mark {
  readonly logOffset: number
  readonly seenMs: number
}

/** Marks within a window: more would not make it sharper. */
const MARKS_PER_WINDOW = 256

export class DedupWindow {
  #marks: Mark[] = []
  constructor(readonly windowMs: number) {}

  /** Records up to `logOffset` were there at `nowMs`. */
  note(logOffset: number, nowMs: number): void {
    const last = this.#marks.at(-1)
    if (last && nowMs - last.seenMs < this.windowMs / MARKS_PER_WINDOW) return
    this.#marks.push({ logOffset, seenMs: nowMs })
  }

  /** The greatest offset that was there a window ago; undefined when none is known to be. */
  olderThan(nowMs: number): number | undefined {
    const firstYoung = this.#marks.findIndex(({ seenMs }) => nowMs - seenMs < this.windowMs)
    const old = firstYoung < 0 ? this.#marks : this.#marks.slice(0, firstYoung)
    this.#marks = [...old.slice(-1), ...this.#marks.slice(old.length)]
    return old.at(-1)?.logOffset
  }
}
