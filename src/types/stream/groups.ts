// The consumer groups of a stream, read all at once on the first use. Used by: stream.

import { assert } from '../../base/assert.js'
import { CorruptionError, unlessDamaged } from '../../base/errors.js'
import type { StreamId } from '../../base/stream-id.js'
import { Table } from '../../store/row.js'
import type { Count } from './count.js'
import { ConsumerGroup } from './group.js'
import type { GroupStream } from './group-stream.js'
import { NameOrder } from './name-order.js'

/** Whoever asks wants to know whether it is much. */
const PIECES_TOLD = 1000
/** Rows read before others get their turn: about half a millisecond. */
const READ_AT_ONCE = 128

export class Groups {
  /** Undefined until the rows were read. */
  #byName: Map<string, ConsumerGroup> | undefined
  readonly #order = new NameOrder<ConsumerGroup>()
  /** Number of rows to read. */
  #stored: number
  /** What was read by a command that is to come back. No group is changed before all were read. */
  #reading: { readonly byName: Map<string, ConsumerGroup>; upTo: Buffer | undefined } | undefined
  /** Up to this key rows were read to drop what they name, one after the other. */
  #decodedUpTo: Buffer | undefined
  #partlyDropped: ConsumerGroup | undefined

  constructor(
    readonly stream: GroupStream,
    stored: number,
  ) {
    this.#stored = stored
  }

  get size(): number {
    return this.#byName?.size ?? this.#stored
  }

  /** How many objects there are to be dropped, as far as it is known, and no further than PIECES_TOLD. */
  get dropPieces(): number {
    if (this.size === 0) return 0
    if (this.#byName === undefined && (this.#decodedUpTo !== undefined || this.#stored > PIECES_TOLD)) {
      return this.#stored + (this.#partlyDropped?.dropPieces ?? 0)
    }
    const groups = unlessDamaged(() => this.#open(), undefined)
    if (groups === undefined) return PIECES_TOLD
    let pieces = 0
    for (const group of groups.values()) {
      pieces += group.dropPieces
      if (pieces > PIECES_TOLD) break
    }
    return pieces
  }

  /** Drops about `max` of them, which nobody uses any more. The caller has touched the stream. */
  dropSome(max: number): void {
    this.#stopReading()
    let left = max
    for (const group of this.#byName?.values() ?? this.#unopened()) {
      const pieces = group.dropPieces
      if (pieces <= left) {
        group.drop()
      } else if (group.dropSome(left)) {
        this.#partlyDropped = group
        return
      }
      this.#partlyDropped = undefined
      this.#forget(group)
      left -= pieces
      if (left <= 0) return
    }
    // Rows that cannot be read do not keep the others.
    if (this.#byName === undefined) this.#stored = 0
  }

  /** Drops all that are left; nobody uses them afterwards. @throws CorruptionError behind those that can be read */
  drop(): void {
    this.#stopReading()
    for (const group of this.#byName?.values() ?? this.#unopened()) group.drop()
  }

  /** The groups that were not dropped yet, one by one. */
  *#unopened(): Generator<ConsumerGroup> {
    const { rows, object } = this.stream
    if (this.#partlyDropped !== undefined) yield this.#partlyDropped
    for (const { key, value } of rows.scan(Table.Parts, ConsumerGroup.keyPrefix(object), this.#decodedUpTo)) {
      this.#decodedUpTo = key
      const group = unlessDamaged(() => ConsumerGroup.decode(this.stream, key, value), undefined)
      if (group !== undefined) yield group
    }
  }

  get(name: string): ConsumerGroup | undefined {
    return this.size === 0 ? undefined : this.#open().get(name)
  }

  /** Ascending by the bytes of the name. */
  all(): readonly ConsumerGroup[] {
    if (this.size === 0) return []
    return this.#order.of(this.#open())
  }

  /** In no order; those that come or go meanwhile may be among them. */
  values(): Iterator<ConsumerGroup> {
    return this.#open().values()
  }

  /** Those whose rows can be read, for repair. */
  readable(): ConsumerGroup[] {
    const groups: ConsumerGroup[] = []
    const { rows, object } = this.stream
    for (const { key, value } of rows.scan(Table.Parts, ConsumerGroup.keyPrefix(object))) {
      const group = unlessDamaged(() => ConsumerGroup.decode(this.stream, key, value), undefined)
      if (group !== undefined) groups.push(group)
    }
    return groups
  }

  create(name: string, lastDeliveredId: StreamId, entriesRead: Count | undefined): ConsumerGroup {
    const byName = this.#open()
    assert(!byName.has(name), 'the group is new')
    const group = ConsumerGroup.create(this.stream, name, lastDeliveredId, entriesRead)
    byName.set(name, group)
    this.#order.added(group)
    return group
  }

  /** Forgets a group without dropping it: another stream takes it over next. */
  remove(group: ConsumerGroup): void {
    this.#forget(group)
  }

  /** Takes over what `group`, which was removed from its own stream, holds; there is no group of its name. */
  takeOver(group: ConsumerGroup): void {
    const heir = group.handOver(this.stream)
    this.#open().set(heir.name, heir)
    this.#order.added(heir)
  }

  destroy(group: ConsumerGroup): void {
    group.drop()
    this.#forget(group)
  }

  #forget(group: ConsumerGroup): void {
    this.stream.rows.touch(group)
    group.removed = true
    this.#order.removed(group)
    if (this.#byName === undefined) this.#stored--
    else this.#byName.delete(group.name)
  }

  #open(): Map<string, ConsumerGroup> {
    if (this.#byName !== undefined) return this.#byName
    const { rows, object } = this.stream
    const reading = (this.#reading ??= { byName: new Map<string, ConsumerGroup>(), upTo: undefined })
    const { byName } = reading
    let left = READ_AT_ONCE
    if (this.#stored > 0) {
      for (const { key, value } of rows.scan(Table.Parts, ConsumerGroup.keyPrefix(object), reading.upTo)) {
        const group = ConsumerGroup.decode(this.stream, key, value)
        byName.set(group.name, group)
        reading.upTo = key
        if (--left > 0) continue
        rows.misses.rest()
        left = READ_AT_ONCE
      }
    }
    this.#reading = undefined
    if (byName.size !== this.#stored) {
      for (const group of byName.values()) group.forget()
      throw new CorruptionError(`stream ${object.id} has ${byName.size} groups instead of ${this.#stored}`)
    }
    return (this.#byName = byName)
  }

  /** What was read so far is not needed. */
  #stopReading(): void {
    for (const group of this.#reading?.byName.values() ?? []) group.forget()
    this.#reading = undefined
  }
}
