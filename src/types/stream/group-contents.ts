// What a consumer group holds: its consumers and its PEL, both opened on the first use. Used by: group. Uses:
// consumers, pel. They belong to the group's own object in the store, so they stay what they are when another group
// takes over.

import { CorruptionError, unlessDamaged } from '../../base/errors.js'
import { treeIdOfRoot } from '../../pages/tree-root.js'
import { PageMiss } from '../../store/page-misses.js'
import { StoreObject, Table } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import { Consumer } from './consumer.js'
import type { ConsumerHome } from './consumer.js'
import { Consumers } from './consumers.js'
import { Pel } from './pel.js'
import type { Releases } from './pending.js'

/** What a consumer and the tree of a PEL take in memory, as measured. */
const CONSUMER_BYTES = 560
const PEL_BYTES = 800
const OWNED_BYTES = 16
const RECORD_BYTES = 36

/** What the group's row says of it. */
export interface StoredContents {
  readonly consumers: number
  readonly nextConsumer: number
  readonly pending: number
  readonly released: number
  readonly nextRelease: number
  readonly pelRoot: Buffer | undefined
}

const NOTHING: StoredContents = {
  consumers: 0,
  nextConsumer: 1,
  pending: 0,
  released: 0,
  nextRelease: 1,
  pelRoot: undefined,
}

export class GroupContents implements ConsumerHome {
  /** Called before what stored() gives changes. */
  onChange: () => void = () => undefined
  readonly releases: Releases
  #consumers: Consumers | undefined
  /** Those that were read for a command that is to come back. None is changed before all were read. */
  #reading: Consumers | undefined
  #consumersStored: number
  /** Up to this key rows of consumers were read to drop them, one after the other. */
  #droppedUpTo: Buffer | undefined
  #nextConsumer: number
  #pel: Pel | undefined
  #pelRoot: Buffer | undefined
  #pendingStored: number

  constructor(
    readonly rows: Rows,
    readonly object: StoreObject,
    stored: StoredContents = NOTHING,
  ) {
    this.#consumersStored = stored.consumers
    this.#nextConsumer = stored.nextConsumer
    this.#pelRoot = stored.pelRoot
    this.#pendingStored = stored.pending
    this.releases = { count: stored.released, next: stored.nextRelease }
  }

  /** For the group's row. */
  stored(): StoredContents {
    return {
      consumers: this.consumerCount,
      nextConsumer: this.#nextConsumer,
      pending: this.pendingCount,
      released: this.releases.count,
      nextRelease: this.releases.next,
      pelRoot: this.#pel?.encodeRoot() ?? this.#pelRoot,
    }
  }

  /** Root of the PEL as it was stored; undefined when there is none, or the PEL is open. */
  get storedPelRoot(): Buffer | undefined {
    return this.#pelRoot
  }

  get pendingCount(): number {
    return this.#pel?.count ?? this.#pendingStored
  }

  get consumerCount(): number {
    return this.#consumers?.size ?? this.#consumersStored
  }

  /** Whether there is a tree of records, open or not. */
  get hasPel(): boolean {
    return this.#pel !== undefined || this.#pelRoot !== undefined
  }

  /** The number of a new consumer; the caller has called onChange(). */
  takeNumber(): number {
    return this.#nextConsumer++
  }

  consumers(): Consumers {
    return this.#consumers ?? this.#openConsumers()
  }

  /** @throws PageMiss, CorruptionError as Consumers.read() */
  #openConsumers(): Consumers {
    const reading = (this.#reading ??= new Consumers(this))
    try {
      reading.read(this.#consumersStored)
    } catch (error) {
      if (!(error instanceof PageMiss)) this.#stopReading()
      throw error
    }
    this.#reading = undefined
    return (this.#consumers = reading)
  }

  /** What was read so far is not needed. */
  #stopReading(): void {
    this.#reading?.release()
    this.#reading = undefined
  }

  pel(): Pel {
    return this.#pel ?? this.#openPel()
  }

  /** The PEL, if it was opened. */
  get pelIfOpen(): Pel | undefined {
    return this.#pel
  }

  #openPel(): Pel {
    const pel = new Pel(this, this.consumers(), this.releases, () => this.onChange(), this.#pelRoot)
    if (pel.count !== this.#pendingStored) {
      throw new CorruptionError(`group ${this.object.id} and its PEL disagree about the number of pending entries`)
    }
    this.#pelRoot = undefined
    this.rows.cache.heldBytes += PEL_BYTES
    return (this.#pel = pel)
  }

  /** A deep copy of `source` into these, which are new. */
  copyFrom(source: GroupContents): void {
    this.onChange()
    this.#nextConsumer = source.#nextConsumer
    this.releases.count = source.releases.count
    this.releases.next = source.releases.next
    for (const consumer of source.consumers().all()) {
      const copy = this.consumers().create(consumer.number, consumer.name, consumer.seenMs)
      if (consumer.activeMs !== undefined) copy.setActive(consumer.activeMs)
      if (consumer.pendingCount > 0) copy.copyOwned(consumer)
    }
    if (source.pendingCount > 0) this.pel().copyFrom(source.pel())
  }

  /** Drops the object with all of it. */
  drop(): void {
    // Where nothing was pending since the start no tree has a row; pages emptied since then may still lie in the store.
    const treeIds = this.pendingCount > 0 || this.#pel !== undefined ? this.#releaseTrees() : []
    this.#stopReading()
    this.#consumers?.release()
    if (this.#pel !== undefined) this.rows.cache.heldBytes -= PEL_BYTES
    this.rows.drop(this.object, treeIds)
  }

  /** Drops the records, then about `max` consumers; false when none is left. */
  dropSome(max: number): boolean {
    if (this.consumerCount === 0) return false
    this.onChange()
    this.#stopReading()
    this.#dropRecords()
    let left = max
    for (const consumer of this.#consumers?.values() ?? this.#unopened()) {
      if (left-- <= 0) return true
      unlessDamaged(() => consumer.dropTree(), undefined)
      if (this.#consumers !== undefined) this.#consumers.delete(consumer)
      else this.#forgetUnopened(consumer)
    }
    return false
  }

  #dropRecords(): void {
    const { rows } = this
    this.#pel?.clear()
    const root = this.#pelRoot
    const id = root && unlessDamaged(() => treeIdOfRoot(root), undefined)
    if (id !== undefined) rows.drop(new StoreObject(id), [id])
    this.releases.count = 0
    this.#pelRoot = undefined
    this.#pendingStored = 0
  }

  /** The consumers that were not dropped yet, one by one; those of damaged rows go with the object. */
  *#unopened(): Generator<Consumer> {
    const { rows, object } = this
    for (const { key, value } of rows.scan(Table.Parts, Consumer.keyPrefix(object), this.#droppedUpTo)) {
      const consumer = unlessDamaged(() => Consumer.decode(this, key, value), undefined)
      if (consumer !== undefined) yield consumer
      this.#droppedUpTo = key
    }
    this.#consumersStored = 0
  }

  #forgetUnopened(consumer: Consumer): void {
    this.rows.touch(consumer)
    consumer.removed = true
    consumer.release()
    this.#consumersStored--
  }

  /** Takes the pages of PEL and consumers out of the cache; the ids of the trees, as far as they are not damaged. */
  #releaseTrees(): number[] {
    const treeIds: number[] = []
    const pel = this.#pel
    const root = this.#pelRoot
    if (pel !== undefined) {
      treeIds.push(pel.treeId)
      pel.release()
    } else if (root !== undefined) {
      const id = unlessDamaged(() => treeIdOfRoot(root), undefined)
      if (id !== undefined) treeIds.push(id)
    }
    for (const consumer of unlessDamaged(() => this.consumers().values(), [])) {
      const id = unlessDamaged(() => consumer.releaseTree(), undefined)
      if (id !== undefined) treeIds.push(id)
    }
    return treeIds
  }

  memoryUsage(): number {
    return this.consumerCount * CONSUMER_BYTES + this.pendingCount * (RECORD_BYTES + OWNED_BYTES)
  }
}
