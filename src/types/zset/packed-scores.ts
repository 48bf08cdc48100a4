// The small form of a sorted set: members in order, in the head row. `listpack` is what Redis packs too and names so;
// `packed` is what Redis calls a skiplist already, kept together here because pages of its own would cost more.
// Used by: zset-value.

import { CorruptionError } from '../../base/errors.js'
import { ByteReader } from '../../pages/byte-reader.js'
import { ByteWriter } from '../../pages/byte-writer.js'
import { ZSET_FORM } from './scored-members.js'
import type { ScoredMembers, VisitMember } from './scored-members.js'

/** What Redis does not pack is packed here up to this size; the row fits one page of LMDB. */
const BYTES_MAX = 3_900
const COUNT_MAX = 256
/** Score and length around a member on the disk, for short ones. */
const MEMBER_BYTES = 10
/** Map entry, places in the arrays and the string in memory, about. */
const MEMBER_MEMORY_BYTES = 110

type PackedForm = typeof ZSET_FORM.packed | typeof ZSET_FORM.listpack

/** Arrays and table around the members in memory, as measured. */
const OBJECT_BYTES = 400

export class PackedScores implements ScoredMembers {
  /** In order of (score, member). */
  readonly #members: string[] = []
  readonly #scores: number[] = []
  readonly #byMember = new Map<string, number>()
  /** Bytes of the members. */
  #bytes = 0

  constructor(public form: PackedForm) {}

  /** @throws CorruptionError */
  static decode(form: PackedForm, bytes: Buffer, what: string): PackedScores {
    const packed = new PackedScores(form)
    const reader = new ByteReader(bytes, what)
    const count = reader.varint()
    for (let i = 0; i < count; i++) {
      const member = reader.sizedText()
      const score = reader.f64()
      if (score !== score) throw new CorruptionError(`${what} has a score that is no number`)
      if (packed.#byMember.has(member)) throw new CorruptionError(`${what} names a member twice`)
      if (packed.#place(score, member) !== i) throw new CorruptionError(`${what} has members out of order`)
      packed.set(member, score, undefined)
    }
    reader.end()
    return packed
  }

  get count(): number {
    return this.#members.length
  }

  get memoryBytes(): number {
    return OBJECT_BYTES + this.#bytes + this.#members.length * MEMBER_MEMORY_BYTES
  }

  /** True when it stays small with another member of `bytes`. */
  hasRoom(bytes: number): boolean {
    const count = this.#members.length
    return count < COUNT_MAX && this.#bytes + bytes + (count + 1) * MEMBER_BYTES <= BYTES_MAX
  }

  scoreOf(member: string): number | undefined {
    return this.#byMember.get(member)
  }

  set(member: string, score: number, old: number | undefined): void {
    // Redis packs whole numbers as integers, which have no minus zero.
    const kept = score === 0 && this.form === ZSET_FORM.listpack ? 0 : score
    if (old !== undefined) this.delete(member, old)
    const at = this.#place(kept, member)
    this.#members.splice(at, 0, member)
    this.#scores.splice(at, 0, kept)
    this.#byMember.set(member, kept)
    this.#bytes += member.length
  }

  delete(member: string, score: number): void {
    const at = this.#place(score, member)
    this.removeRange(at, at + 1)
  }

  rankOf(member: string, score: number): number {
    return this.#place(score, member)
  }

  countBelowScore(score: number, orEqual: boolean): number {
    const scores = this.#scores
    let low = 0
    let high = scores.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (scores[middle] < score || (orEqual && scores[middle] === score)) low = middle + 1
      else high = middle
    }
    return low
  }

  countBelowMember(member: string, orEqual: boolean): number {
    const members = this.#members
    let low = 0
    let high = members.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (members[middle] < member || (orEqual && members[middle] === member)) low = middle + 1
      else high = middle
    }
    return low
  }

  each(from: number, to: number, visit: VisitMember): void {
    for (let i = from; i < to; i++) visit(this.#members[i], this.#scores[i])
  }

  eachDown(from: number, to: number, visit: VisitMember): void {
    for (let i = to - 1; i >= from; i--) visit(this.#members[i], this.#scores[i])
  }

  some(test: (member: string, score: number) => boolean): boolean {
    return this.#members.some((member, i) => test(member, this.#scores[i]))
  }

  removeRange(from: number, to: number): void {
    for (let i = from; i < to; i++) {
      this.#byMember.delete(this.#members[i])
      this.#bytes -= this.#members[i].length
    }
    this.#members.splice(from, to - from)
    this.#scores.splice(from, to - from)
  }

  /** All of it: Redis takes no notice of COUNT here either. */
  scan(_cursor: number, _count: number, visit: VisitMember): number {
    this.each(0, this.count, visit)
    return 0
  }

  /** Varint count, then for each member its length, the member and its score. */
  encode(): Buffer {
    const count = this.#members.length
    const writer = new ByteWriter(8 + this.#bytes + count * MEMBER_BYTES)
    writer.varint(count)
    for (let i = 0; i < count; i++) {
      writer.sizedText(this.#members[i])
      writer.f64(this.#scores[i])
    }
    return writer.done()
  }

  /** Number of members before (score, member). */
  #place(score: number, member: string): number {
    const scores = this.#scores
    let low = 0
    let high = scores.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = scores[middle]
      if (other < score || (other === score && this.#members[middle] < member)) low = middle + 1
      else high = middle
    }
    return low
  }
}
