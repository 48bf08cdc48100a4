// The large form of a sorted set: two trees of pages, one by the hash of the member for look-ups and scans, one by
// (score, member) for ranges and ranks. Every operation costs O(log n) for each member it gives or changes.
// Used by: zset-value. Uses: pages, hashed/field-tree, score-key.
// Invariants: (1) both trees hold the same members with the same scores; (2) what may fail, reading pages, comes before
// the first change of either tree.

import { assert } from '../../base/assert.js'
import { CorruptionError } from '../../base/errors.js'
import { ByteReader } from '../../pages/byte-reader.js'
import { ByteWriter } from '../../pages/byte-writer.js'
import { itemCodec } from '../../pages/item-page.js'
import type { ItemPage } from '../../pages/item-page.js'
import type { Inspection } from '../../pages/inspection.js'
import { KeyBuffer } from '../../pages/key-buffer.js'
import { OrderedPages } from '../../pages/ordered-pages.js'
import type { PageNode, Position } from '../../pages/ordered-pages.js'
import { PAGE_KIND } from '../../pages/page.js'
import { checkTree } from '../../pages/tree-check.js'
import { wholePages } from '../../pages/whole-pages.js'
import type { StoreObject } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import type { Trees } from '../collection-value.js'
import { FieldTree } from '../hashed/field-tree.js'
import type { Content } from '../hashed/fields.js'
import { TreeRead } from '../long-read.js'
import type { LongRead } from '../long-read.js'
import { copyPages } from '../stream/tree-copy.js'
import { keyAboveScore, memberIn, scoreIn, scoreKey, SCORE_BYTES } from './score-key.js'
import { ZSET_FORM } from './scored-members.js'
import type { ScoredMembers, VisitMember } from './scored-members.js'

const CODEC = itemCodec(PAGE_KIND.scores)
const NO_BYTES = Buffer.alloc(0)
/** Keys that are looked up or copied at once: that of the place a member leaves, and that of the one it takes. */
const oldKeys = new KeyBuffer()
const newKeys = new KeyBuffer()
/** Value of a member in the tree by score whose score is minus zero; of all others it is empty. */
const MINUS_ZERO = Buffer.from([1])
/** With this behind it, a member becomes the next one in the order of members. */
const LOWEST_CHARACTER = '\0'

export class ScoreTree implements ScoredMembers, Trees {
  readonly form = ZSET_FORM.tree
  readonly #byMember: FieldTree
  readonly #byScore: OrderedPages<Buffer, ItemPage>

  private constructor(byMember: FieldTree, byScore: OrderedPages<Buffer, ItemPage>) {
    this.#byMember = byMember
    this.#byScore = byScore
  }

  /** New, empty trees. @param touchHead called before every change of what encode() gives */
  static create(rows: Rows, owner: StoreObject, touchHead: () => void): ScoreTree {
    return new ScoreTree(FieldTree.create(rows, owner, touchHead), new OrderedPages(rows, owner, CODEC, touchHead))
  }

  /** @param bytes what encode() gave. @throws CorruptionError */
  static decode(rows: Rows, owner: StoreObject, touchHead: () => void, bytes: Buffer, what: string): ScoreTree {
    const reader = new ByteReader(bytes, what)
    const byMember = FieldTree.decode(rows, owner, touchHead, reader.sized())
    const byScore = new OrderedPages(rows, owner, CODEC, touchHead, reader.sized())
    reader.end()
    if (byMember.count !== byScore.count) {
      throw new CorruptionError(`${what} has ${byMember.count} members and ${byScore.count} scores`)
    }
    return new ScoreTree(byMember, byScore)
  }

  /** New trees with the members of `other`, page by page. */
  static copyOf(other: ScoreTree, rows: Rows, owner: StoreObject, touchHead: () => void): ScoreTree {
    const byScore = new OrderedPages(rows, owner, CODEC, touchHead)
    copyPages(CODEC, other.#byScore, byScore)
    return new ScoreTree(FieldTree.copyOf(other.#byMember, rows, owner, touchHead), byScore)
  }

  get count(): number {
    return this.#byScore.count
  }

  get memoryBytes(): number {
    return this.#byMember.memoryBytes + this.#byScore.bodyBytes
  }

  get trees(): Trees {
    return this
  }

  get ids(): readonly number[] {
    return [...this.#byMember.ids, this.#byScore.treeId]
  }

  release(): void {
    this.#byMember.release()
    this.#byScore.release()
  }

  /** Visits the members that one of the trees can tell with their scores, some of them twice. */
  eachWhole(visit: VisitMember): void {
    this.#byMember.eachWhole((member, content) => visit(member, scoreFrom(content)))
    for (const page of wholePages(this.#byScore)) {
      for (let i = 0; i < page.count; i++) visit(memberIn(page.keyAt(i)), scoreAt(page, i))
    }
  }

  check(inspection: Inspection): boolean {
    const byMemberWhole = this.#byMember.check(inspection)
    const byScoreWhole = checkTree(this.#byScore, inspection, {
      items: 'places in the order',
      each: (page, { what }) => {
        if (!byMemberWhole) return
        for (let i = 0; i < page.count; i++) {
          const score = this.#byMember.get(memberIn(page.keyAt(i)))
          if (score === undefined || !Object.is(scoreFrom(score), scoreAt(page, i))) {
            inspection.found(`${what} has a member with another score than the tree by member at item ${i}`)
          }
        }
      },
    })
    return byMemberWhole && byScoreWhole
  }

  scoreOf(member: string): number | undefined {
    return this.#byMember.numberOf(member)
  }

  set(member: string, score: number, old: number | undefined): void {
    const tree = this.#byScore
    // The member's page in the other tree was read by who asked for `old`.
    const from = old === undefined ? undefined : this.#positionOf(scoreKey(old, member, oldKeys))
    const key = scoreKey(score, member, newKeys)
    const node = tree.nodeForInsert(key)
    const page = tree.page(node)
    const isSamePage = from?.node === node
    if (from !== undefined && isSamePage) page.removeRange(from.index, from.index + 1)
    page.insert(page.lowerBound(key), key, Object.is(score, -0) ? MINUS_ZERO : NO_BYTES)
    tree.changed(node)
    // Another page is where it was: a page that splits moves none of its neighbours' items.
    if (from !== undefined && !isSamePage) this.#removeAt(from)
    this.#byMember.putNumber(member, score)
  }

  delete(member: string, score: number): void {
    this.#removeAt(this.#positionOf(scoreKey(score, member, oldKeys)))
    this.#byMember.delete(member)
  }

  rankOf(member: string, score: number): number {
    return this.#byScore.rank(scoreKey(score, member, oldKeys))
  }

  countBelowScore(score: number, orEqual: boolean): number {
    // Nothing is read for the ends of the whole.
    if (score === Infinity && orEqual) return this.count
    return this.#byScore.rank(orEqual ? keyAboveScore(score) : scoreKey(score))
  }

  countBelowMember(member: string, orEqual: boolean): number {
    const first = this.#byScore.first()
    if (first === undefined) return 0
    const score = scoreIn(this.#byScore.page(first).keyAt(0))
    return this.#byScore.rank(scoreKey(score, orEqual ? member + LOWEST_CHARACTER : member))
  }

  each(from: number, to: number, visit: VisitMember): void {
    const tree = this.#byScore
    let left = to - from
    if (left <= 0) return
    const start = tree.at(from)
    let node: PageNode<Buffer, ItemPage> | undefined = start?.node
    let index = start?.index ?? 0
    for (; left > 0 && node !== undefined; node = tree.next(node), index = 0) {
      const page: ItemPage = tree.page(node, left)
      for (; index < page.count && left > 0; index++, left--) visit(memberIn(page.keyAt(index)), scoreAt(page, index))
    }
    assert(left <= 0, 'a range lies within the count')
  }

  eachDown(from: number, to: number, visit: VisitMember): void {
    const tree = this.#byScore
    let left = to - from
    if (left <= 0) return
    const start = tree.at(to - 1)
    let node: PageNode<Buffer, ItemPage> | undefined = start?.node
    let index = start?.index ?? 0
    while (left > 0 && node !== undefined) {
      const page: ItemPage = tree.page(node, -left)
      for (; index >= 0 && left > 0; index--, left--) visit(memberIn(page.keyAt(index)), scoreAt(page, index))
      node = tree.previous(node)
      index = node === undefined ? 0 : node.count - 1
    }
    assert(left <= 0, 'a range lies within the count')
  }

  /** The members of ranks [from, to), of which there are some, as they are now; the highest first with `down`. */
  longRead(from: number, to: number, down: boolean): LongRead<VisitMember> {
    return new TreeRead(this.#byScore.snapshot(from, to, down), down ? showMembersDown : showMembers)
  }

  some(test: (member: string, score: number) => boolean): boolean {
    const tree = this.#byScore
    for (let node = tree.first(); node !== undefined; node = tree.next(node)) {
      const page = tree.page(node, Infinity)
      for (let i = 0; i < page.count; i++) if (test(memberIn(page.keyAt(i)), scoreAt(page, i))) return true
    }
    return false
  }

  removeRange(from: number, to: number): void {
    const members: string[] = []
    this.each(from, to, member => void members.push(member))
    const tree = this.#byScore
    for (let left = to - from; left > 0;) {
      const start = tree.at(from)
      assert(start !== undefined, 'a range lies within the count')
      const { node, index } = start
      const taken = Math.min(left, node.count - index)
      tree.willChange(node).removeRange(index, index + taken)
      tree.changed(node)
      left -= taken
    }
    for (const member of members) this.#byMember.delete(member)
  }

  scan(cursor: number, count: number, visit: VisitMember): number {
    return this.#byMember.scan(cursor, count, (member, content) => visit(member, scoreFrom(content)))
  }

  /** Each tree's root behind its length: by member (docs/format/hash.md), then by score. */
  encode(): Buffer {
    const byMember = this.#byMember.encode()
    const byScore = this.#byScore.encodeRoot()
    const writer = new ByteWriter(16 + byMember.length + byScore.length)
    writer.sized(byMember)
    writer.sized(byScore)
    return writer.done()
  }

  #positionOf(key: Buffer) {
    const found = this.#byScore.find(key)
    if (found === undefined) throw new CorruptionError(`the trees of a sorted set differ about ${scoreIn(key)}`)
    return found
  }

  #removeAt({ node, index }: Position<Buffer, ItemPage>): void {
    this.#byScore.willChange(node).removeRange(index, index + 1)
    this.#byScore.changed(node)
  }
}

function scoreFrom(content: Content): number {
  assert(typeof content !== 'string' && content.length === SCORE_BYTES, 'a score has eight bytes')
  return content.readDoubleBE()
}

function showMembers(page: ItemPage, from: number, to: number, visit: VisitMember): void {
  for (let i = from; i < to; i++) visit(memberIn(page.keyAt(i)), scoreAt(page, i))
}

function showMembersDown(page: ItemPage, from: number, to: number, visit: VisitMember): void {
  for (let i = to - 1; i >= from; i--) visit(memberIn(page.keyAt(i)), scoreAt(page, i))
}

function scoreAt(page: ItemPage, index: number): number {
  const score = scoreIn(page.keyAt(index))
  return score === 0 && page.valueAt(index).length > 0 ? -0 : score
}
