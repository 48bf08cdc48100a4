// Searches over all groups of a stream. Among very many groups the command that asks rests between parts of them, and
// what it has found waits for it here. Used by: reference-search, trim-search, group, stream.
//
// What a search found is what holds when it ends: it begins anew when a group may have come to refer to more since (see
// referencesMayCome), and at its end it looks again at what may have gone. After TRIES_MAX of either it is done in one
// go.

import { PageMiss } from '../../store/page-misses.js'
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
  /** What is searched, once it waits. */
  name = ''

  constructor(
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

export interface SearchPlan<S extends GroupSearch> {
  readonly stream: GroupStream
  /** Whether it may last, and is done in parts then. */
  readonly mayLast: boolean
  /** Tells what is searched from all else that is searched in the stream. */
  name(): string
  make(): S
}

/**
 * Carries a search out, or goes on with it where the command left it when it rested. A command that has rested reads
 * for itself from then on: the search would be lost.
 * @throws PageMiss when it lasts, from a command that has changed nothing
 */
export function searchGroups<S extends GroupSearch>({ stream, mayLast, name, make }: SearchPlan<S>): S {
  const { misses } = stream.rows
  if (!misses.armed || !mayLast) return finished(make())
  const of = waiting.get(stream) ?? { changes: 0, tries: [] }
  const before = of.tries.length === 0 ? undefined : of.tries.find(one => one.name === name())
  const current = before ?? new Try(make(), of.changes)
  // Pages are read at once: fetching one after the other, the command would soon come back no more. That a group
  // catches up is no change that the command makes.
  misses.armed = false
  misses.mayRest = true
  let isOver = false
  try {
    isOver = attempt(current, of.changes)
  } catch (error) {
    // One that meets a damaged group is over: it would go on behind it.
    if (!(error instanceof PageMiss)) {
      end(of, current)
      throw error
    }
  } finally {
    misses.mayRest = false
  }
  if (isOver) {
    if (before === undefined) misses.armed = true
    end(of, current)
    return current.search as S
  }
  misses.armed = true
  if (before === undefined) {
    current.name = name()
    wait(stream, of, current)
  }
  throw misses.resting()
}

function wait(stream: GroupStream, of: Waiting, current: Try): void {
  waiting.set(stream, of)
  of.tries.push(current)
  if (of.tries.length > WAITING_MAX) of.tries.shift()
}

function finished<S extends GroupSearch>(search: S): S {
  do while (search.some(Infinity));
  while (!search.holds())
  return search
}

/** One part; true behind the last one. @param changes that have happened by now */
function attempt(current: Try, changes: number): boolean {
  const { search } = current
  if (current.changes !== changes) {
    current.changes = changes
    current.count++
    search.begin()
  }
  if (current.count >= TRIES_MAX) finished(search)
  else if (search.some(GROUPS_AT_ONCE)) return false
  if (search.holds()) return true
  current.count++
  return false
}

function end(of: Waiting, current: Try): void {
  const at = of.tries.indexOf(current)
  if (at >= 0) of.tries.splice(at, 1)
}
