// Keeps from running away what no checkpoint contains: changed rows in memory and the journal that has them. When there
// is twice as much of it as starts a checkpoint, writes wait until the running one is committed; when the last
// one failed, they are refused with the reason, until one succeeds. Used by: store.ts.
//
// Invariant: writes wait only while a checkpoint is being written, so that its end sets them free.

/**
 * So many times what starts a checkpoint, what the running one has cut included: room for what comes while one is being
 * written to a slow disk. Pages that changed again are in memory twice until they are encoded.
 */
const FACTOR = 2
const MIB = 1 << 20

export interface BacklogHost {
  /** Bytes that start a checkpoint; 0 for never. */
  readonly dirtyBytesDue: number
  readonly journalBytesDue: number
  /** A cut was made, and whether its checkpoint succeeds is not known yet. */
  readonly writing: boolean
  /** Why the last one failed; undefined when it did not. */
  readonly failure: string | undefined
}

export class Backlog {
  /** Writes should wait. */
  congested = false
  /** Why writes are refused, as an error reply. */
  fault: string | undefined
  readonly #host: BacklogHost
  readonly #onRelieved: () => void

  /** @param onRelieved writes that waited may go on */
  constructor(host: BacklogHost, onRelieved: () => void) {
    this.#host = host
    this.#onRelieved = onRelieved
  }

  /**
   * At the end of each tick.
   * @param dirtyBytes that no committed checkpoint contains, those of the running one included
   * @param journalBytes of all segments
   */
  look(dirtyBytes: number, journalBytes: number): void {
    const { dirtyBytesDue, journalBytesDue, writing, failure } = this.#host
    const tooMuch =
      (dirtyBytesDue > 0 && dirtyBytes >= FACTOR * dirtyBytesDue) ||
      (journalBytesDue > 0 && journalBytes >= FACTOR * journalBytesDue)
    if (!tooMuch) return
    if (failure !== undefined) this.fault = faultText(failure, Math.max(dirtyBytes, journalBytes))
    else if (writing) this.congested = true
  }

  /** A checkpoint is over, one way or the other. */
  over(): void {
    if (this.#host.failure === undefined) this.fault = undefined
    if (!this.congested) return
    this.congested = false
    this.#onRelieved()
  }
}

function faultText(failure: string, bytes: number): string {
  const size = `${Math.ceil(bytes / MIB)} MiB`
  const waiting = `${size} of changes wait for one`
  return `MISCONF The last checkpoint failed (${failure}), and ${waiting}: no more until one succeeds.`
}
