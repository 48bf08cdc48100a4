// A consumer of a group: the Row with its times and the tree of the IDs it owns in the group's PEL. Changed by: group.
// The group hands out each consumer number once, so the row's key never changes hands.
//
// Row in Table.Parts, key: group's object id, 'c', number in 4 bytes. Version 1; frozen: docs/format/stream.md.
// offset  size  field                          offset  size  field
//      0     1  version                            18     8  pending entries
//      1     1  1 when the active time is set      26     .  section: root of the IDs, empty when there is no tree
//      2     8  seen, Unix ms                       .     .  section: name
//     10     8  active, Unix ms

import { CorruptionError } from '../../base/errors.js'
import { formatId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { Inspection } from '../../pages/inspection.js'
import { OrderedPages } from '../../pages/ordered-pages.js'
import type { RecordPage } from '../../pages/record-page.js'
import { checkTree } from '../../pages/tree-check.js'
import { treeIdOfRoot } from '../../pages/tree-root.js'
import { Row, StoreObject, Table } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import { getCount, putCount } from './count.js'
import { ownedCodec } from './pel-record.js'
import { numberedPartKey, PART, partNumberOf, partPrefix } from './part-key.js'
import { checkVersion, joinSections, splitSections } from './row-sections.js'
import { copyPages } from './tree-copy.js'

export const CONSUMER_VERSION = 1
export const CONSUMER = { VERSION: 0, HAS_ACTIVE: 1, SEEN: 2, ACTIVE: 10, PENDING: 18, SECTIONS: 26 } as const
const ROW_BYTES = 64
const NOTHING = Buffer.alloc(0)

/** Where the rows of a group's consumers live. */
export interface ConsumerHome {
  readonly rows: Rows
  /** The group's own object: it dies with the group. */
  readonly object: StoreObject
}

/** What a consumer and the tree of what it owns take in memory, as measured. */
const CONSUMER_BYTES = 560
const OWNED_TREE_BYTES = 800

export class Consumer extends Row {
  #seenMs: number
  #activeMs: number | undefined
  #owned: OrderedPages<StreamId, RecordPage> | undefined
  /** Of a tree that was not used since the row was read. */
  #root: Buffer | undefined
  #pendingStored = 0

  constructor(
    readonly home: ConsumerHome,
    /** Within the group, from 1; 0 means no consumer. */
    readonly number: number,
    /** latin1. */
    readonly name: string,
    seenMs: number,
  ) {
    super()
    this.#seenMs = seenMs
    home.rows.cache.heldBytes += CONSUMER_BYTES + name.length
  }

  /** It is deleted, or its group dropped. */
  release(): void {
    const ownedBytes = this.#owned === undefined ? 0 : OWNED_TREE_BYTES
    this.home.rows.cache.heldBytes -= CONSUMER_BYTES + this.name.length + ownedBytes
  }

  /** @throws CorruptionError */
  static decode(home: ConsumerHome, key: Buffer, value: Buffer): Consumer {
    const what = `consumer row ${key.toString('hex')}`
    checkVersion(value, CONSUMER.SECTIONS, CONSUMER_VERSION, what)
    const [root, name] = splitSections(value, CONSUMER.SECTIONS, 2, what)
    const number = partNumberOf(key)
    const consumer = new Consumer(home, number, name.toString('latin1'), Number(getCount(value, CONSUMER.SEEN)))
    if (value[CONSUMER.HAS_ACTIVE] === 1) consumer.#activeMs = Number(getCount(value, CONSUMER.ACTIVE))
    consumer.#pendingStored = Number(getCount(value, CONSUMER.PENDING))
    if (root.length > 0) consumer.#root = root
    return consumer
  }

  /** What the keys of all consumers of a group begin with. */
  static keyPrefix(object: StoreObject): Buffer {
    return partPrefix(object, PART.consumer)
  }

  get table(): Table {
    return Table.Parts
  }

  get owner(): StoreObject {
    return this.home.object
  }

  rowKey(): Buffer {
    return numberedPartKey(this.home.object, PART.consumer, this.number)
  }

  encodeRow(): Buffer {
    const fixed = Buffer.alloc(CONSUMER.SECTIONS)
    fixed[CONSUMER.VERSION] = CONSUMER_VERSION
    fixed[CONSUMER.HAS_ACTIVE] = this.#activeMs === undefined ? 0 : 1
    putCount(fixed, CONSUMER.SEEN, this.#seenMs)
    putCount(fixed, CONSUMER.ACTIVE, this.#activeMs ?? 0)
    putCount(fixed, CONSUMER.PENDING, this.pendingCount)
    const root = this.#owned?.encodeRoot() ?? this.#root ?? NOTHING
    return joinSections(fixed, [root, Buffer.from(this.name, 'latin1')])
  }

  rowBytes(): number {
    return ROW_BYTES + this.name.length
  }

  get pendingCount(): number {
    return this.#owned?.count ?? this.#pendingStored
  }

  /** Last attempt to interact, Unix ms. */
  get seenMs(): number {
    return this.#seenMs
  }

  /** Last successful interaction, Unix ms; undefined = never. */
  get activeMs(): number | undefined {
    return this.#activeMs
  }

  setSeen(nowMs: number): void {
    if (this.#seenMs === nowMs) return
    this.home.rows.touch(this)
    this.#seenMs = nowMs
  }

  setActive(nowMs: number): void {
    if (this.#activeMs === nowMs) return
    this.home.rows.touch(this)
    this.#activeMs = nowMs
  }

  /**
   * The IDs of its pending entries.
   * @throws CorruptionError when the stored count is not theirs
   */
  owned(): OrderedPages<StreamId, RecordPage> {
    return (this.#owned ??= this.#open())
  }

  /** The id of the tree of IDs; undefined while there is none. */
  treeId(): number | undefined {
    return this.#owned === undefined && this.#root === undefined ? undefined : this.owned().treeId
  }

  /** Takes the pages of its tree, which goes, out of the cache; the tree's id, undefined while there is none. */
  releaseTree(): number | undefined {
    if (this.#owned === undefined) return this.#root && treeIdOfRoot(this.#root)
    this.#owned.release()
    return this.#owned.treeId
  }

  /** Gives up the tree without a look at what is in it: the group's records go as well. */
  dropTree(): void {
    const { rows } = this.home
    if (this.#owned !== undefined) this.#owned.clear()
    else if (this.#root !== undefined) {
      const id = treeIdOfRoot(this.#root)
      rows.touch(this)
      this.#root = undefined
      this.#pendingStored = 0
      rows.drop(new StoreObject(id), [id])
    }
  }

  /** Fills the tree, which is new, with the IDs of `source`. */
  copyOwned(source: Consumer): void {
    this.home.rows.touch(this)
    copyPages(ownedCodec, source.owned(), this.owned())
  }

  /** As KeyValue.check(), of what it owns; true when that is whole. */
  check(inspection: Inspection): boolean {
    let whole = true
    const items = `pending entries of consumer '${this.name}'`
    const read = inspection.attempt(() => {
      if (this.treeId() !== undefined) whole = checkTree(this.owned(), inspection, { items, show: formatId })
    })
    return read && whole
  }

  #open(): OrderedPages<StreamId, RecordPage> {
    const { rows, object } = this.home
    const owned = new OrderedPages(rows, object, ownedCodec, () => rows.touch(this), this.#root)
    if (owned.count !== this.#pendingStored) {
      throw new CorruptionError(
        `consumer ${this.number} of group ${object.id} does not own ${this.#pendingStored} entries`,
      )
    }
    this.#root = undefined
    rows.cache.heldBytes += OWNED_TREE_BYTES
    return owned
  }
}
