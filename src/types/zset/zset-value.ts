// A sorted set: members with scores, in the order of (score, member). Used by: commands, types.
// Its forms only ever change in one direction: listpack (small in Redis' eyes), packed (small in ours), tree.

import { assert } from '../../base/assert.js'
import { CorruptionError } from '../../base/errors.js'
import type { Rows } from '../../store/rows.js'
import { CollectionValue } from '../collection-value.js'
import type { TypeSpec } from '../key-value.js'
import type { LongRead } from '../long-read.js'
import { PackedScores } from './packed-scores.js'
import { ScoreTree } from './score-tree.js'
import { ZSET_FORM } from './scored-members.js'
import type { ScoredMembers, VisitMember } from './scored-members.js'

/** Up to where a sorted set is a listpack: zset-max-listpack-entries and zset-max-listpack-value. */
export interface ZsetLimits {
  entriesMax: number
  memberBytesMax: number
}

/** What zset-max-listpack-entries and -value are unless they are set. */
const LIMITS_DEFAULT: ZsetLimits = { entriesMax: 128, memberBytesMax: 64 }

export interface ScoredMember {
  readonly member: string
  readonly score: number
}

export class ZsetValue extends CollectionValue<ScoredMembers> {
  readonly type = 'zset'

  /** A new, empty sorted set, for a caller who adds to it at once. */
  static create(rows: Rows): ZsetValue {
    const zset = new ZsetValue(rows, rows.newId(), new PackedScores(ZSET_FORM.listpack))
    rows.touchNew(zset)
    return zset
  }

  /** A new sorted set of these members, which must differ; in the form that fits them all. */
  static of(rows: Rows, members: readonly ScoredMember[], limits: ZsetLimits): ZsetValue {
    const { entriesMax, memberBytesMax } = limits
    const isListpack = members.length <= entriesMax && members.every(({ member }) => member.length <= memberBytesMax)
    const packed = new PackedScores(isListpack ? ZSET_FORM.listpack : ZSET_FORM.packed)
    const zset = new ZsetValue(rows, rows.newId(), packed)
    rows.touchNew(zset)
    for (const { member, score } of members) zset.set(member, score, undefined, limits)
    return zset
  }

  static stored(rows: Rows, objectId: number): ZsetValue {
    return new ZsetValue(rows, objectId, undefined)
  }

  get encoding(): string {
    return this.contents.form === ZSET_FORM.listpack ? 'listpack' : 'skiplist'
  }

  /** The score of a member (a latin1 string), never NaN. */
  scoreOf(member: string): number | undefined {
    return this.contents.scoreOf(member)
  }

  /** Adds a member or gives it another score. @param old what scoreOf(member) says now */
  set(member: string, score: number, old: number | undefined, limits: ZsetLimits): void {
    assert(score === score, 'a score is a number')
    const contents = this.contents
    this.willChange(contents)
    const isNewInPack = old === undefined && contents instanceof PackedScores
    const target = isNewInPack ? this.#formFor(contents, member, limits) : contents
    target.set(member, score, old)
    this.didChange(target)
  }

  /** Removes a member; false when there is none. The caller removes the key of a value that becomes empty. */
  remove(member: string): boolean {
    const contents = this.contents
    const score = contents.scoreOf(member)
    if (score === undefined) return false
    this.willChange(contents)
    contents.delete(member, score)
    this.didChange(contents)
    return true
  }

  /** Removes the members of ranks [from, to); as remove(). */
  removeRange(from: number, to: number): void {
    if (from >= to) return
    const contents = this.contents
    this.willChange(contents)
    contents.removeRange(from, to)
    this.didChange(contents)
  }

  /** Rank, 0 for the lowest, and score; undefined when there is no such member. */
  rankOf(member: string): { rank: number; score: number } | undefined {
    const contents = this.contents
    const score = contents.scoreOf(member)
    return score === undefined ? undefined : { rank: contents.rankOf(member, score), score }
  }

  /** Number of members whose score is below `score`; with `orEqual`, not above it. */
  countBelowScore(score: number, orEqual: boolean): number {
    return this.contents.countBelowScore(score, orEqual)
  }

  /** Number of members below `member`; with `orEqual`, not above it. Only means something when all scores are equal. */
  countBelowMember(member: string, orEqual: boolean): number {
    return this.contents.countBelowMember(member, orEqual)
  }

  /** Visits the members of ranks [from, to), the lowest first; the value must not change meanwhile. */
  each(visit: VisitMember, from = 0, to = this.count): void {
    this.contents.each(from, to, visit)
  }

  /** As each(), the highest first. */
  eachDown(visit: VisitMember, from = 0, to = this.count): void {
    this.contents.eachDown(from, to, visit)
  }

  /**
   * The members of ranks [from, to), of which there are some, as they are now; the highest first with `down`. Undefined
   * while the set is small.
   */
  longRead(from: number, to: number, down: boolean): LongRead<VisitMember> | undefined {
    const contents = this.contents
    return contents instanceof ScoreTree ? contents.longRead(from, to, down) : undefined
  }

  /** Calls `test` with each member, the lowest first, until it says true; whether it did. */
  some(test: (member: string, score: number) => boolean): boolean {
    return this.contents.some(test)
  }

  /** One step of a stateless scan; see ScoredMembers.scan. */
  scan(cursor: number, count: number, visit: VisitMember): number {
    return this.contents.scan(cursor, count, visit)
  }

  /** `packed`, or what it must become to take `member`. */
  #formFor(packed: PackedScores, member: string, limits: ZsetLimits): ScoredMembers {
    const { entriesMax, memberBytesMax } = limits
    if (packed.form === ZSET_FORM.listpack) {
      if (packed.count < entriesMax && member.length <= memberBytesMax) return packed
      packed.form = ZSET_FORM.packed
    }
    if (packed.hasRoom(member.length)) return packed
    const tree = ScoreTree.create(this.rows, this.object, this.touchHead)
    packed.each(0, packed.count, (other, score) => tree.set(other, score, undefined))
    return tree
  }

  copy(): ZsetValue {
    const twin = ZsetValue.create(this.rows)
    twin.copyFrom(this)
    return twin
  }

  salvaged(step: () => void): ZsetValue | undefined {
    const contents = this.readableContents
    if (!(contents instanceof ScoreTree)) return undefined
    const twin = ZsetValue.create(this.rows)
    contents.eachWhole((member, score) => {
      if (twin.scoreOf(member) === undefined) twin.set(member, score, undefined, LIMITS_DEFAULT)
      step()
    })
    return twin
  }

  digest(feed: (bytes: Uint8Array) => void): void {
    const score = Buffer.alloc(8)
    this.each((member, value) => {
      score.writeDoubleBE(value)
      feed(score)
      feed(Buffer.from(`${member.length} ${member}`, 'latin1'))
    })
  }

  protected decode(form: number, bytes: Buffer, what: string): ScoredMembers {
    if (form === ZSET_FORM.tree) return ScoreTree.decode(this.rows, this.object, this.touchHead, bytes, what)
    if (form === ZSET_FORM.packed || form === ZSET_FORM.listpack) return PackedScores.decode(form, bytes, what)
    throw new CorruptionError(`${what} has the unknown form ${form}`)
  }

  protected copyOfTrees(contents: ScoredMembers): ScoredMembers {
    assert(contents instanceof ScoreTree, 'of these forms one is a tree')
    return ScoreTree.copyOf(contents, this.rows, this.object, this.touchHead)
  }
}

export const zsetType: TypeSpec = {
  name: 'zset',
  code: 4,
  load: (rows, objectId) => ZsetValue.stored(rows, objectId),
}
