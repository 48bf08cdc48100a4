// The consumer groups of a stream, read all at once on the first use. Used by: stream.

import { assert } from '../../base/assert.js'
import { CorruptionError, unlessDamaged } from '../../base/errors.js'
import type { StreamId } from '../../base/stream-id.js'
import { StoreObject, Table } from '../../store/row.js'
import type { Count } from './count.js'
import { ConsumerGroup } from './group.js'
import type { GroupStream } from './group.js'
import { sortedByName } from './name-order.js'

export class Groups {
  /** Undefined until the rows were read. */
  #byName: Map<string, ConsumerGroup> | undefined
  #sorted: readonly ConsumerGroup[] | undefined

  constructor(
    readonly stream: GroupStream,
    /** Number of rows to read. */
    readonly stored: number,
  ) {}

  get size(): number {
    return this.#byName?.size ?? this.stored
  }

  get(name: string): ConsumerGroup | undefined {
    return this.size === 0 ? undefined : this.#open().get(name)
  }

  /** Ascending by the bytes of the name. */
  all(): readonly ConsumerGroup[] {
    if (this.size === 0) return []
    return (this.#sorted ??= sortedByName(this.#open().values()))
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
    const { rows } = this.stream
    const group = new ConsumerGroup(this.stream, new StoreObject(rows.newId()), name, lastDeliveredId, entriesRead)
    rows.touch(group)
    byName.set(name, group)
    this.#sorted = undefined
    return group
  }

  destroy(group: ConsumerGroup): void {
    group.drop()
    this.stream.rows.touch(group)
    group.removed = true
    this.#open().delete(group.name)
    this.#sorted = undefined
  }

  #open(): Map<string, ConsumerGroup> {
    if (this.#byName !== undefined) return this.#byName
    const byName = new Map<string, ConsumerGroup>()
    const { rows, object } = this.stream
    if (this.stored > 0) {
      for (const { key, value } of rows.scan(Table.Parts, ConsumerGroup.keyPrefix(object))) {
        const group = ConsumerGroup.decode(this.stream, key, value)
        byName.set(group.name, group)
      }
    }
    if (byName.size !== this.stored) {
      throw new CorruptionError(`stream ${object.id} has ${byName.size} groups instead of ${this.stored}`)
    }
    return (this.#byName = byName)
  }
}
