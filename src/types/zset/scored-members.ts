// What the forms of a sorted set have in common: members with scores, in the order of (score, member).
// Implemented by packed-scores (small) and score-tree (large). Used by: zset-value.

import type { Contents } from '../collection-value.js'

/** Forms on disk. Frozen: add, never change. */
export const ZSET_FORM = { tree: 0, packed: 1, listpack: 2 } as const
export type ZsetForm = (typeof ZSET_FORM)[keyof typeof ZSET_FORM]

export type VisitMember = (member: string, score: number) => void

/** Members are latin1 strings, one character per byte. A rank counts from the lowest, 0 first. */
export interface ScoredMembers extends Contents {
  readonly form: ZsetForm
  scoreOf(member: string): number | undefined
  /** Adds a member, or moves it. @param old its score until now, undefined for a new member */
  set(member: string, score: number, old: number | undefined): void
  /** @param score that of the member, which is there */
  delete(member: string, score: number): void
  /** The rank of a member that is there, with its score. */
  rankOf(member: string, score: number): number
  /** Number of members whose score is below `score`; with `orEqual`, not above it. */
  countBelowScore(score: number, orEqual: boolean): number
  /** Number of members below `member`, which need not be there; with `orEqual`, not above it. All scores are equal. */
  countBelowMember(member: string, orEqual: boolean): number
  /** Visits the members of ranks [from, to). Nothing may change meanwhile. */
  each(from: number, to: number, visit: VisitMember): void
  /** As each(), the highest first. */
  eachDown(from: number, to: number, visit: VisitMember): void
  /** Calls `test` with each member, the lowest first, until it says true; whether it did. Nothing may change then. */
  some(test: (member: string, score: number) => boolean): boolean
  /** Removes the members of ranks [from, to). */
  removeRange(from: number, to: number): void
  /**
   * Gives at least `count` members from `cursor` on (fewer at the end) and returns the next cursor, 0 at the end. A
   * member that is there from the first call to the last is given at least once, whatever else happens.
   */
  scan(cursor: number, count: number, visit: VisitMember): number
}
