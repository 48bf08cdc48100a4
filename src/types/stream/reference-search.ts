// Which of some IDs any group of a stream refers to: has pending, or has yet to come to. Used by: references. Uses:
// group-search, which carries it out.

import { compareIds, formatId, ID_MAX } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { ConsumerGroup } from './group.js'
import { GROUPS_MIN, searchGroups } from './group-search.js'
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
  return searchGroups({
    stream: query.stream,
    mayLast: query.groupCount >= GROUPS_MIN,
    name: () => `among ${query.except?.name ?? ''} ${query.ids.map(formatId).join(' ')}`,
    make: () => new ReferenceSearch(query),
  }).referenced
}

class ReferenceSearch implements GroupSearch {
  #groups!: Iterator<ConsumerGroup>
  /** Whose turn it is; it stays so when it has to be read in parts. */
  #group: ConsumerGroup | undefined
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
    this.#group = undefined
  }

  get referenced(): ReadonlySet<string> {
    return new Set(this.#found.keys())
  }

  some(max: number): boolean {
    for (let left = max; left > 0; left--) {
      // Nothing more is asked about what one group refers to: of very many groups mostly the first ones answer.
      if (this.#open.length === 0) return false
      if (this.#group === undefined) {
        const next = this.#groups.next()
        if (next.done === true) return false
        this.#group = next.value
      }
      const group = this.#group
      if (group === this.query.except) {
        this.#group = undefined
        continue
      }
      const pending = group.pendingAmong(this.#open)
      this.#group = undefined
      if (pending.count === 0) continue
      this.#take(
        group,
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
