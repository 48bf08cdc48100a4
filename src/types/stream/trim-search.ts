// Which entries a trim may remove that spares what groups refer to: the first ones that all groups have come to and
// none has pending, as many as it is to remove. Used by: references. Uses: group-search, which carries it out.
//
// The entries are looked at in chunks, each of which all groups are asked about. While the command rests entries may
// go, and references: at the end those that were found are looked at again wherever something has changed. Of an entry
// that few groups have pending all are known, so that nobody has to be asked again. References that come make the
// search begin anew (see group-search).

import { assert } from '../../base/assert.js'
import { compareIds, equalIds, ID_MAX, nextId, previousId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import { StreamIdList } from '../../base/stream-id-list.js'
import type { ConsumerGroup } from './group.js'
import { GROUPS_MIN, searchGroups } from './group-search.js'
import type { GroupSearch } from './group-search.js'
import { eachAmong } from './id-order.js'
import type { PelState } from './pel.js'
import type { Stream } from './stream.js'
import type { Trim } from './trim.js'

/** Entries looked at in one go: the fewer are wanted the fewer; the more groups the more, since each costs a look. */
const CHUNK_MIN = 64
const CHUNK_MAX = 512
const CHUNK_MAX_MANY_GROUPS = 65_536
/** So many references of an entry are looked for: when all of them go meanwhile, all groups are asked again. */
const REFERENCES_MAX = 4
/** Pending entries met that take as long as a look at a group. */
const ROWS_PER_GROUP = 16

export interface TrimQuery {
  readonly stream: Stream
  readonly trim: Trim
  /** Entries that are added before it is carried out. */
  readonly added: number
  /** No entry below is looked at. */
  readonly from: StreamId
}

export interface Trimmable {
  /** Ascending, all of them there. */
  readonly free: readonly StreamId[]
  /** How many of them are to go at most. */
  readonly removable: number
  /** Entries with a higher ID were not looked at; undefined: none was. */
  readonly end: StreamId | undefined
}

/** @throws PageMiss when it lasts, from a command that has changed nothing */
export function findTrimmable(query: TrimQuery): Trimmable {
  const { stream, trim, added, from } = query
  return searchGroups({
    stream,
    // Among few groups it does where very many entries are pending.
    mayLast: true,
    name: () => `trim ${JSON.stringify([trim, added, from])}`,
    make: () => new TrimSearch(query),
  }).result()
}

interface Chunk {
  /** Ascending, and their places. */
  ids: StreamId[]
  places: number[]
  readonly groups: Iterator<ConsumerGroup>
  /** Whose turn it is; it stays so when it has to be read in parts. */
  group: ConsumerGroup | undefined
}

/** Which entries a group has pending, by place. */
interface Found {
  places: number[]
  state: PelState | undefined
}

/** The entries that were looked at, ascending: each has a place. */
class Looked {
  readonly ids = new StreamIdList()
  /** Groups that were found to have it pending. */
  #references: Uint8Array = new Uint8Array(CHUNK_MIN)
  /** 1 where others may have it pending as well, who were not asked; and where the entry is gone. */
  #incomplete: Uint8Array = new Uint8Array(CHUNK_MIN)
  /** Entries nobody has pending, of chunks that are done with. */
  free = 0

  push(id: StreamId): number {
    if (this.ids.count === this.#references.length) {
      this.#references = grown(this.#references)
      this.#incomplete = grown(this.#incomplete)
    }
    this.ids.push(id)
    return this.ids.count - 1
  }

  references(place: number): number {
    return this.#references[place]
  }

  /** True when there are so many that no more groups are to be asked. */
  add(place: number, max: number): boolean {
    this.#references[place]++
    if (this.#references[place] < max) return false
    this.#incomplete[place] = 1
    return true
  }

  /** A reference went; true when it was the last one known, and there may be others. */
  subtract(place: number, isThere: (id: StreamId) => boolean): boolean {
    this.#references[place]--
    if (this.#references[place] > 0) return false
    if (!isThere(this.ids.at(place))) {
      this.#incomplete[place] = 1
      return false
    }
    if (this.#incomplete[place] === 0) this.free++
    return this.#incomplete[place] === 1
  }

  /** All groups are to be asked again. */
  reopen(place: number): void {
    this.#incomplete[place] = 0
  }

  /** Those which nobody has pending and `isThere`, at most `max`. All others of them are not free any more. */
  takeFree(isThere: (id: StreamId) => boolean, max: number): StreamId[] {
    const free: StreamId[] = []
    this.free = 0
    for (let place = 0; place < this.ids.count; place++) {
      if (this.#references[place] > 0 || this.#incomplete[place] === 1) continue
      const id = this.ids.at(place)
      if (!isThere(id)) {
        this.#incomplete[place] = 1
        continue
      }
      this.free++
      if (free.length < max) free.push(id)
    }
    return free
  }
}

class TrimSearch implements GroupSearch {
  #from!: StreamId | undefined
  #looked!: Looked
  #found!: Map<ConsumerGroup, Found>
  #chunk: Chunk | undefined
  #chunkSize!: number
  /** Places of what lost all references that were known. */
  #again!: number[]
  /** Entries of the stream that are gone. */
  #gone!: bigint

  constructor(readonly query: TrimQuery) {
    this.begin()
  }

  begin(): void {
    this.#from = this.query.from
    this.#looked = new Looked()
    this.#found = new Map()
    this.#chunk = undefined
    this.#chunkSize = 0
    this.#again = []
    this.#gone = this.#goneNow
  }

  get #goneNow(): bigint {
    const { entriesAdded, length } = this.query.stream
    return BigInt(entriesAdded) - BigInt(length)
  }

  /** Of few groups all are soon asked again, and one reference is as good as many. */
  get #referencesMax(): number {
    return this.query.stream.groupCount < GROUPS_MIN ? 1 : REFERENCES_MAX
  }

  result(): Trimmable {
    const removable = removableOf(this.query)
    const free = this.#looked.takeFree(() => true, removable)
    return { free, removable, end: lastFreeId(this.query) }
  }

  some(max: number): boolean {
    for (let left = max; left > 0;) {
      if (this.#chunk === undefined) {
        this.#chunk = this.#nextChunk()
        if (this.#chunk === undefined) return false
        left -= this.#chunk.ids.length / ROWS_PER_GROUP
      }
      const chunk = this.#chunk
      const group = chunk.ids.length === 0 ? undefined : nextGroup(chunk)
      if (group === undefined) {
        for (const place of chunk.places) if (this.#looked.references(place) === 0) this.#looked.free++
        this.#chunk = undefined
        continue
      }
      left -= 1 + this.#look(group, chunk) / ROWS_PER_GROUP
      chunk.group = undefined
    }
    return true
  }

  #nextChunk(): Chunk | undefined {
    const groups = this.query.stream.eachGroup()
    if (this.#again.length > 0) {
      const places = this.#again
      this.#again = []
      for (const place of places) this.#looked.reopen(place)
      return { ids: places.map(place => this.#looked.ids.at(place)), places, groups, group: undefined }
    }
    const ids = this.#nextIds()
    if (ids.length === 0) return undefined
    return { ids, places: ids.map(id => this.#looked.push(id)), groups, group: undefined }
  }

  /** The next entries, as many as seem to be needed: the more of them are pending the more. */
  #nextIds(): StreamId[] {
    const { query } = this
    const needed = removableOf(query) - this.#looked.free
    const from = this.#from
    if (needed <= 0 || from === undefined) return []
    const end = lastFreeId(query)
    if (end === undefined || compareIds(from, end) > 0) return []
    const { groupCount } = query.stream
    const max = groupCount < GROUPS_MIN ? CHUNK_MAX : Math.min(Math.max(groupCount, CHUNK_MAX), CHUNK_MAX_MANY_GROUPS)
    this.#chunkSize = Math.min(Math.max(needed * 2, this.#chunkSize * 2, CHUNK_MIN), max)
    const ids = idsFrom(query.stream, from, end, this.#chunkSize)
    const last = ids.at(-1)
    if (last !== undefined) this.#from = nextId(last)
    return ids
  }

  /** Notes what `group` has pending of the chunk; returns how much that is. */
  #look(group: ConsumerGroup, chunk: Chunk): number {
    const pending = group.pendingAmong(chunk.ids)
    if (pending.count === 0) return 0
    const found = this.#found.get(group) ?? { places: [], state: group.pelState() }
    this.#found.set(group, found)
    const enough = new Set<number>()
    let at = 0
    for (let i = 0; i < pending.count; i++) {
      at = indexOfId(chunk.ids, pending.at(i), at)
      const place = chunk.places[at]
      found.places.push(place)
      if (this.#looked.add(place, this.#referencesMax)) enough.add(at)
    }
    if (enough.size > 0) {
      chunk.ids = chunk.ids.filter((_, i) => !enough.has(i))
      chunk.places = chunk.places.filter((_, i) => !enough.has(i))
    }
    return pending.count
  }

  holds(): boolean {
    const looked = this.#looked
    this.#again = this.#lookAgain()
    if (this.#gone === this.#goneNow) return this.#again.length === 0
    this.#gone = this.#goneNow
    const { free } = looked
    looked.takeFree(id => this.query.stream.has(id), 0)
    return this.#again.length === 0 && looked.free === free
  }

  /** Looks again at what was found pending, where something has changed; gives what has to go through all groups. */
  #lookAgain(): number[] {
    const again: number[] = []
    const isEntry = (id: StreamId): boolean => this.query.stream.has(id)
    for (const [group, found] of this.#found) {
      if (!group.dropped && group.isAt(found.state)) continue
      const places = found.places.sort((a, b) => a - b)
      const ids = places.map(place => this.#looked.ids.at(place))
      const isThere = group.dropped ? [] : eachAmong(ids, group.pendingAmong(ids))
      for (const [i, place] of places.entries()) {
        if (isThere[i] !== true && this.#looked.subtract(place, isEntry)) again.push(place)
      }
      found.places = places.filter((_, i) => isThere[i])
      found.state = group.dropped ? undefined : group.pelState()
      if (found.places.length === 0) this.#found.delete(group)
    }
    return again.sort((a, b) => a - b)
  }
}

function nextGroup(chunk: Chunk): ConsumerGroup | undefined {
  if (chunk.group !== undefined) return chunk.group
  const next = chunk.groups.next()
  if (next.done !== true) chunk.group = next.value
  return chunk.group
}

function grown(bytes: Uint8Array): Uint8Array {
  const twice = new Uint8Array(bytes.length * 2)
  twice.set(bytes)
  return twice
}

/** How many entries are to go at most. */
function removableOf({ stream, trim, added }: TrimQuery): number {
  const length = stream.length + added
  const wanted = trim.by === 'maxlen' ? Math.max(length - trim.length, 0) : length
  return trim.limit > 0 ? Math.min(wanted, trim.limit) : wanted
}

/** The last ID that all groups have come to and `trim` may take; undefined when there is none. */
function lastFreeId({ stream, trim }: TrimQuery): StreamId | undefined {
  let end: StreamId | undefined = trim.by === 'minid' ? previousId(trim.id) : ID_MAX
  const groups = stream.eachGroup()
  for (let next = groups.next(); next.done !== true; next = groups.next()) {
    const { lastDeliveredId } = next.value
    if (end !== undefined && compareIds(lastDeliveredId, end) < 0) end = lastDeliveredId
  }
  return end
}

/** IDs of the first `max` entries of [from, end]. */
export function idsFrom(stream: Stream, from: StreamId, end: StreamId, max: number): StreamId[] {
  const ids: StreamId[] = []
  for (const run of stream.runsFrom(from, max)) {
    for (let i = 0; i < run.entries; i++) {
      const id = run.page.keyAt(run.index + i)
      if (compareIds(id, end) > 0) return ids
      ids.push(id)
    }
  }
  return ids
}

/** Where `id` stands among `ids`, which ascend, from place `from` on. */
function indexOfId(ids: readonly StreamId[], id: StreamId, from: number): number {
  let step = 1
  let low = from
  while (low + step < ids.length && compareIds(ids[low + step], id) <= 0) {
    low += step
    step *= 2
  }
  let high = Math.min(low + step, ids.length)
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (compareIds(ids[middle], id) <= 0) low = middle
    else high = middle
  }
  assert(equalIds(ids[low], id), 'what is pending was asked about')
  return low
}
