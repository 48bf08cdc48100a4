// References that were dropped from all groups of a stream by one command, where there are very many groups: noted once
// here, and taken out of a group's pending entries before anything else is done with that group, or when its turn comes
// in the rounds over all groups that later commands of the kind bring on. So nobody waits for 100,000 groups, and
// nobody sees what was dropped. Stored in the stream's head while some group may have to catch up. Used by: stream,
// group.
//
// What is noted may be taken out of a group again and again: an entry with such an ID is not there, and none can come
// while lastId does not go back (XSETID: the stream has all groups catch up first). So a start begins with all groups
// having to catch up.
//
// A section of the head, from version 3 on. On disk, so frozen; docs/format/stream.md repeats the drawing. Each range:
// offset  size  field                          offset  size  field
//      0    16  first ID                           16    16  last ID

import { CorruptionError, unlessDamaged } from '../../base/errors.js'
import { compareIds, equalIds, getId, ID_MIN, putId, STREAM_ID_BYTES } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { Row } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'

export const DROPPED_RANGE = { FIRST: 0, LAST: 16, BYTES: 2 * STREAM_ID_BYTES } as const

/** IDs that were dropped together with others, or alone. */
export interface DroppedRange {
  readonly first: StreamId
  readonly last: StreamId
  readonly epoch: number
}

/** A group, as a round sees it. */
export interface CatchesUp {
  catchUp(): void
}

export class DroppedReferences {
  /** Counts the commands that noted something; a group that has seen so many has nothing to catch up with. */
  epoch = 0
  #ranges: DroppedRange[] = []
  /** A round over all groups, and what each has seen when it is over. */
  #round: { groups: Iterator<CatchesUp>; epoch: number } | undefined

  get size(): number {
    return this.#ranges.length
  }

  /** Single IDs, which ascend. */
  add(ids: readonly StreamId[]): void {
    this.epoch++
    for (const id of ids) this.#ranges.push({ first: id, last: id, epoch: this.epoch })
  }

  /** Everything up to `last`; what was noted below is part of it. */
  addUpTo(last: StreamId): void {
    this.epoch++
    this.#ranges = this.#ranges.filter(range => compareIds(range.last, last) > 0)
    this.#ranges.push({ first: ID_MIN, last, epoch: this.epoch })
  }

  /** What a group that has seen `epoch` has to catch up with: ranges, and single IDs, ascending. */
  since(epoch: number): { ranges: readonly DroppedRange[]; ids: readonly StreamId[] } {
    const missed = this.#ranges.filter(range => range.epoch > epoch)
    const isSingle = (range: DroppedRange): boolean => equalIds(range.first, range.last)
    const ids = missed.filter(isSingle).map(range => range.first)
    return { ranges: missed.filter(range => !isSingle(range)), ids: ids.sort(compareIds) }
  }

  /**
   * Has `max` more groups catch up, going round all of them; after each round what all have seen is forgotten. A
   * damaged group is passed over.
   * @param onForget called before
   */
  goRound(all: () => Iterator<CatchesUp>, max: number, onForget: () => void): void {
    for (let left = max; left > 0 && this.#ranges.length > 0; left--) {
      const round = (this.#round ??= { groups: all(), epoch: this.epoch })
      const next = round.groups.next()
      if (next.done !== true) {
        unlessDamaged(() => next.value.catchUp(), undefined)
        continue
      }
      onForget()
      this.#ranges = this.#ranges.filter(range => range.epoch > round.epoch)
      this.#round = undefined
    }
  }

  /** undefined when there is nothing. */
  encode(): Buffer | undefined {
    if (this.#ranges.length === 0) return undefined
    const bytes = Buffer.allocUnsafe(this.#ranges.length * DROPPED_RANGE.BYTES)
    for (const [i, { first, last }] of this.#ranges.entries()) {
      putId(bytes, i * DROPPED_RANGE.BYTES + DROPPED_RANGE.FIRST, first)
      putId(bytes, i * DROPPED_RANGE.BYTES + DROPPED_RANGE.LAST, last)
    }
    return bytes
  }

  /** @param what names the head in errors @throws CorruptionError */
  static decode(bytes: Buffer, what: string): DroppedReferences {
    const dropped = new DroppedReferences()
    if (bytes.length % DROPPED_RANGE.BYTES !== 0) throw new CorruptionError(`${what} has half a range of references`)
    dropped.epoch = bytes.length === 0 ? 0 : 1
    for (let at = 0; at < bytes.length; at += DROPPED_RANGE.BYTES) {
      const first = getId(bytes, at + DROPPED_RANGE.FIRST)
      const last = getId(bytes, at + DROPPED_RANGE.LAST)
      if (compareIds(first, last) > 0) throw new CorruptionError(`${what} has a range of references backwards`)
      dropped.#ranges.push({ first, last, epoch: 1 })
    }
    return dropped
  }
}

/** Of a stream that never noted anything. Not to be added to. */
export const NOTHING_DROPPED = new DroppedReferences()

/** A stream, as far as a round is concerned. */
export interface RoundHome extends Row {
  readonly rows: Rows
  readonly dropped: DroppedReferences
  eachGroup(): Iterator<CatchesUp>
}

/** Goes on with the round over the groups of `stream`, for `max` of them: see goRound(). */
export function catchUp(stream: RoundHome, max: number): void {
  const groups = (): Iterator<CatchesUp> => stream.eachGroup()
  stream.dropped.goRound(groups, max, () => stream.rows.touch(stream))
}
