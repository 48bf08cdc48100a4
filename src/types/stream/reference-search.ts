// Which of some IDs any group of a stream refers to: has pending, or has yet to come to. Used by: references. Uses:
// group-search, which carries it out.

import { compareIds, formatId, ID_MAX } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { ConsumerGroup } from './group.js'
import { searchGroups } from './group-search.js'
import type { GroupSearch } from './group-search.js'
import type { GroupStream } from './group-stream.js'

/** What is searched, which also tells searches apart. */
export interface ReferenceQuery {
  readonly stream: GroupStream
  /** Ascending. */
  readonly ids: readonly StreamId[]
  /** What this group has pending does not count. */
  readonly except: ConsumerGroup | undefined
  groups(): Iterator<ConsumerGroup>
  readonly groupCount: number
}

/** The IDs, as text. @throws PageMiss as searchGroups() */
export function findReferences(query: ReferenceQuery): ReadonlySet<string> {
  const name = `among ${query.except?.name ?? ''} ${query.ids.map(formatId).join(' ')}`
  return searchGroups(query.stream, query.groupCount, name, () => new ReferenceSearch(query)).referenced
}

class ReferenceSearch implements GroupSearch {
  #groups!: Iterator<ConsumerGroup>
  /** Not known to be referred to. */
  #open!: readonly StreamId[]
  /** By ID as text: a group that refers to it. */
  #found!: Map<string, { readonly id: StreamId; readonly group: ConsumerGroup }>

  constructor(readonly query: ReferenceQuery) {
    this.begin()
  }

  begin(): void {
    const { query } = this
    this.#found = new Map()
    this.#open = query.ids
    let slowest: ConsumerGroup | undefined
    let readByAll: StreamId = ID_MAX
    const groups = query.groups()
    for (let next = groups.next(); next.done !== true; next = groups.next()) {
      const { lastDeliveredId } = next.value
      if (slowest !== undefined && compareIds(lastDeliveredId, readByAll) >= 0) continue
      slowest = next.value
      readByAll = lastDeliveredId
    }
    const group = slowest
    if (group !== undefined)
      this.#take(
        group,
        query.ids.filter(id => compareIds(id, readByAll) > 0),
      )
    this.#groups = query.groups()
  }

  get referenced(): ReadonlySet<string> {
    return new Set(this.#found.keys())
  }

  some(max: number): boolean {
    for (let left = max; left > 0; left--) {
      // Nothing more is asked about what one group refers to: of very many groups mostly the first ones answer.
      const next = this.#open.length === 0 ? undefined : this.#groups.next()
      if (next === undefined || next.done === true) return false
      if (next.value === this.query.except) continue
      const pending = next.value.pendingAmong(this.#open)
      if (pending.count === 0) continue
      this.#take(
        next.value,
        Array.from({ length: pending.count }, (_, i) => pending.at(i)),
      )
    }
    return true
  }

  #take(group: ConsumerGroup, ids: readonly StreamId[]): void {
    for (const id of ids) this.#found.set(formatId(id), { id, group })
    this.#open = this.#open.filter(id => !this.#found.has(formatId(id)))
  }

  /** It begins anew when one of the references that were found is not there any more. */
  holds(): boolean {
    for (const { id, group } of this.#found.values()) {
      if (this.#refersTo(group, id)) continue
      this.begin()
      return false
    }
    return true
  }

  #refersTo(group: ConsumerGroup, id: StreamId): boolean {
    if (group.dropped) return false
    if (compareIds(id, group.lastDeliveredId) > 0) return true
    return group !== this.query.except && group.pending(id) !== undefined
  }
}
