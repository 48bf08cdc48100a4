// Which of some IDs any group of a stream refers to: has pending, or has yet to come to. Among very many groups the
// command that asks rests between parts of them, and what it has found waits for it here. Used by: references.
//
// What a search found is what holds when it ends: it begins anew when a group may have come to refer to more since (see
// referencesMayCome), and at the end each reference that was found is looked at again. After SEARCHES_MAX beginnings
// it is done in one go.

import { compareIds, formatId, ID_MAX } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { ConsumerGroup } from './group.js'
import type { GroupStream } from './group-stream.js'

/** Groups looked at before others get their turn. */
const GROUPS_AT_ONCE = 64
/** Fewer groups are looked at in one go. */
const GROUPS_MIN = 256
const SEARCHES_MAX = 4
/** Searches of a stream that wait; the oldest one is given up for another, and begins anew. */
const WAITING_MAX = 16

interface Waiting {
  /** Counts what may have made searches wrong. */
  changes: number
  readonly searches: ReferenceSearch[]
}

const waiting = new WeakMap<GroupStream, Waiting>()

/** A group of `stream` may refer to entries from now on that it has not referred to. */
export function referencesMayCome(stream: GroupStream): void {
  const of = waiting.get(stream)
  if (of !== undefined) of.changes++
}

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

/** The IDs, as text. @throws PageMiss */
export function findReferences(query: ReferenceQuery): ReadonlySet<string> {
  const { stream } = query
  const { misses } = stream.rows
  if (!misses.armed || query.groupCount < GROUPS_MIN) return new ReferenceSearch(query, '', 0).finish()
  const of = waiting.get(stream) ?? { changes: 0, searches: [] }
  waiting.set(stream, of)
  const name = `${query.except?.name ?? ''} ${query.ids.map(formatId).join(' ')}`
  let search = of.searches.find(one => one.name === name)
  if (search === undefined) {
    search = new ReferenceSearch(query, name, of.changes)
    of.searches.push(search)
    if (of.searches.length > WAITING_MAX) of.searches.shift()
  }
  while (search.begun < SEARCHES_MAX) {
    if (search.changes !== of.changes) search.begin(of.changes)
    for (;;) {
      // Pages are read at once: fetching one after the other, the command would soon come back no more. That a group
      // catches up is no change that the command makes.
      misses.armed = false
      const more = attempt(of, search)
      misses.armed = true
      if (!more) break
      misses.rest()
    }
    if (search.holds()) break
    search.begin(of.changes)
  }
  end(of, search)
  return search.begun < SEARCHES_MAX ? search.referenced : new ReferenceSearch(query, '', 0).finish()
}

/** A search that meets a damaged group is over: it would go on behind it. */
function attempt(of: Waiting, search: ReferenceSearch): boolean {
  try {
    return search.some(GROUPS_AT_ONCE)
  } catch (error) {
    end(of, search)
    throw error
  }
}

function end(of: Waiting, search: ReferenceSearch): void {
  const at = of.searches.indexOf(search)
  if (at >= 0) of.searches.splice(at, 1)
}

class ReferenceSearch {
  /** Times it began anew. */
  begun = 0
  #groups!: Iterator<ConsumerGroup>
  /** Not known to be referred to. */
  #open!: readonly StreamId[]
  /** By ID as text: a group that refers to it. */
  #found!: Map<string, { readonly id: StreamId; readonly group: ConsumerGroup }>

  constructor(
    readonly query: ReferenceQuery,
    readonly name: string,
    public changes: number,
  ) {
    this.#reset()
  }

  begin(changes: number): void {
    this.changes = changes
    this.begun++
    this.#reset()
  }

  #reset(): void {
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

  finish(): ReadonlySet<string> {
    while (this.some(Infinity));
    return this.referenced
  }

  /** Looks at `max` groups; false when nothing is left to be looked at. */
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

  /** Whether each reference that was found is there still. */
  holds(): boolean {
    for (const { id, group } of this.#found.values()) {
      if (group.dropped) return false
      const isToCome = compareIds(id, group.lastDeliveredId) > 0
      if (!isToCome && (group === this.query.except || group.pending(id) === undefined)) return false
    }
    return true
  }
}
