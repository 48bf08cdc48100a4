// Unions, intersections and differences of sorted sets and sets. Where scores meet, the order of additions is that of
// Redis, smallest input first, because sums of doubles depend on it. Used by: zset-algebra.

import { SetValue } from '../types/set/set-value.js'
import type { ScoredMember, ZsetValue } from '../types/zset/zset-value.js'

export type Aggregate = 'sum' | 'min' | 'max'

const SET_SCORE = 1
/** Members that are taken from an extra copy of the first input rather than looked up in the others, at most. */
const COPIED_MAX = 1_000_000

/** One input; undefined stands for a key that is not there. */
export class Source {
  weight = 1

  constructor(readonly value: ZsetValue | SetValue | undefined) {}

  get count(): number {
    return this.value?.count ?? 0
  }

  each(visit: (member: string, score: number) => void): void {
    const { value } = this
    if (value instanceof SetValue) value.each(member => visit(member, SET_SCORE))
    else value?.each(visit)
  }

  /** Calls `test` with each member until it says true. */
  some(test: (member: string, score: number) => boolean): void {
    const { value } = this
    if (value instanceof SetValue) value.some(member => test(member, SET_SCORE))
    else value?.some(test)
  }

  scoreOf(member: string): number | undefined {
    const { value } = this
    if (value instanceof SetValue) return value.has(member) ? SET_SCORE : undefined
    return value?.scoreOf(member)
  }
}

export function unite(sources: readonly Source[], aggregate: Aggregate): ScoredMember[] {
  const scores = new Map<string, number>()
  for (const source of smallestFirst(sources)) {
    source.each((member, score) => {
      const weighted = number(source.weight * score)
      const other = scores.get(member)
      scores.set(member, other === undefined ? weighted : aggregated(aggregate, other, weighted))
    })
  }
  return inOrder(scores)
}

export function intersect(sources: readonly Source[], aggregate: Aggregate): ScoredMember[] {
  const [first, ...others] = smallestFirst(sources)
  const scores = new Map<string, number>()
  first.each((member, score) => {
    let sum = number(first.weight * score)
    for (const other of others) {
      const found = other.value === first.value ? score : other.scoreOf(member)
      if (found === undefined) return
      sum = aggregated(aggregate, sum, found * other.weight)
    }
    scores.set(member, sum)
  })
  return inOrder(scores)
}

/** Size of the intersection; counts no further than `limit` unless that is 0. */
export function countIntersection(sources: readonly Source[], limit: number): number {
  const [first, ...others] = smallestFirst(sources)
  let count = 0
  first.some(member => {
    for (const other of others) {
      if (other.value !== first.value && other.scoreOf(member) === undefined) return false
    }
    return ++count === limit
  })
  return count
}

/** Members of the first that no other has. */
export function subtract(sources: readonly Source[]): ScoredMember[] {
  const [first, ...rest] = sources
  const others = rest.filter(other => other.value !== undefined)
  if (first.value === undefined || others.some(other => other.value === first.value)) return []
  const scores = new Map<string, number>()
  const othersCount = others.reduce((sum, other) => sum + other.count, 0)
  if (first.count * others.length <= othersCount * 2 || first.count > COPIED_MAX) {
    others.sort((a, b) => b.count - a.count)
    first.each((member, score) => {
      if (!others.some(other => other.scoreOf(member) !== undefined)) scores.set(member, score)
    })
  } else {
    first.each((member, score) => void scores.set(member, score))
    for (const other of others) other.each(member => void scores.delete(member))
  }
  return inOrder(scores)
}

/** Inputs of the same size keep their order. */
function smallestFirst(sources: readonly Source[]): Source[] {
  return [...sources].sort((a, b) => a.count - b.count)
}

function aggregated(aggregate: Aggregate, a: number, b: number): number {
  if (aggregate === 'sum') return number(a + b)
  if (aggregate === 'min') return b < a ? b : a
  return b > a ? b : a
}

/** Infinities that cancel each other, or meet a weight of 0, make 0. */
function number(value: number): number {
  return value === value ? value : 0
}

function inOrder(scores: ReadonlyMap<string, number>): ScoredMember[] {
  const members: ScoredMember[] = []
  for (const [member, score] of scores) members.push({ member, score })
  return members.sort((a, b) => {
    if (a.score !== b.score) return a.score < b.score ? -1 : 1
    return a.member < b.member ? -1 : 1
  })
}
