// Searches over all groups of a stream. Among very many groups the command that asks rests between parts of them, and
// what it has found waits for it here. Used by: reference-search, trim-search, group, stream.
//
// What a search found is what holds when it ends: it begins anew when a group may have come to refer to more since (see
// referencesMayCome), and at its end it looks again at what may have gone. After TRIES_MAX of either it is done in one
// go.

import type { GroupStream } from './group-stream.js'

/** Groups looked at before others get their turn. */
const GROUPS_AT_ONCE = 64
/** Fewer groups are looked at in one go. */
export const GROUPS_MIN = 256
const TRIES_MAX = 4
/** Searches of a stream that wait; the oldest one is given up for another, and begins anew. */
const WAITING_MAX = 16

export interface GroupSearch {
  /** Forgets what it found. */
  begin(): void
  /** Looks at about `max` groups; false when nothing is left to be looked at. */
  some(max: number): boolean
  /** Behind some(): whether what it found is so still. When not, it goes on with what is to be looked at again. */
  holds(): boolean
}

class Try {
  /** Times it began anew, or had to look at something again. */
  count = 0

  constructor(
    /** What is searched. */
    readonly name: string,
    readonly search: GroupSearch,
    public changes: number,
  ) {}
}

interface Waiting {
  /** Counts what may have made searches wrong. */
  changes: number
  readonly tries: Try[]
}

const waiting = new WeakMap<GroupStream, Waiting>()

/** A group of `stream` may refer to entries from now on that it has not referred to. */
export function referencesMayCome(stream: GroupStream): void {
  const of = waiting.get(stream)
  if (of !== undefined) of.changes++
}

/**
 * Carries a search out, or goes on with it where the command left it when it rested. When it had many groups to look
 * at the command reads for itself from then on: the search would be lost.
 * @param name tells what is searched in `stream` from all else
 * @throws PageMiss among very many groups, from a command that has changed nothing
 */
export function searchGroups<S extends GroupSearch>(
  stream: GroupStream,
  groupCount: number,
  name: string,
  make: () => S,
): S {
  const { misses } = stream.rows
  if (!misses.armed || groupCount < GROUPS_MIN) return finished(make())
  const of = waiting.get(stream) ?? { changes: 0, tries: [] }
  waiting.set(stream, of)
  let current = of.tries.find(one => one.name === name)
  if (current === undefined) {
    current = new Try(name, make(), of.changes)
    of.tries.push(current)
    if (of.tries.length > WAITING_MAX) of.tries.shift()
  }
  for (;;) {
    // Pages are read at once: fetching one after the other, the command would soon come back no more. That a group
    // catches up is no change that the command makes.
    misses.armed = false
    const isOver = attempt(of, current)
    if (isOver) break
    misses.armed = true
    misses.rest()
  }
  end(of, current)
  return current.search as S
}

function finished<S extends GroupSearch>(search: S): S {
  do while (search.some(Infinity));
  while (!search.holds())
  return search
}

/** One part; true behind the last one. A search that meets a damaged group is over: it would go on behind it. */
function attempt(of: Waiting, current: Try): boolean {
  const { search } = current
  try {
    if (current.changes !== of.changes) {
      current.changes = of.changes
      current.count++
      search.begin()
    }
    if (current.count >= TRIES_MAX) finished(search)
    else if (search.some(GROUPS_AT_ONCE)) return false
    if (search.holds()) return true
    current.count++
    return false
  } catch (error) {
    end(of, current)
    throw error
  }
}

function end(of: Waiting, current: Try): void {
  const at = of.tries.indexOf(current)
  if (at >= 0) of.tries.splice(at, 1)
}
