// A slow, obvious sorted set: an array, sorted anew after each change. And the steps that keep one beside a ZsetValue.

import type { Test } from 'tap'
import type { ZsetValue } from '../../../src/types/zset/zset-value.js'

export interface ModelMember {
  member: string
  score: number
}

export class ZsetModel {
  members: ModelMember[] = []

  scoreOf(member: string): number | undefined {
    return this.members.find(other => other.member === member)?.score
  }

  set(member: string, score: number): void {
    this.members = this.members.filter(other => other.member !== member)
    this.members.push({ member, score })
    this.members.sort((a, b) => a.score - b.score || (a.member < b.member ? -1 : 1))
  }

  remove(member: string): boolean {
    const before = this.members.length
    this.members = this.members.filter(other => other.member !== member)
    return this.members.length < before
  }
}

export function membersOf(zset: ZsetValue, from?: number, to?: number): ModelMember[] {
  const members: ModelMember[] = []
  zset.each((member, score) => void members.push({ member, score }), from, to)
  return members
}

/** Everything a reader can ask for must be what the model says. */
export function agree(t: Test, zset: ZsetValue, model: ZsetModel): void {
  const { members } = model
  t.equal(zset.count, members.length)
  t.same(membersOf(zset), members)
  const down: ModelMember[] = []
  zset.eachDown((member, score) => void down.push({ member, score }))
  t.same(down, members.toReversed())
  for (const [rank, { member, score }] of members.entries()) {
    const found = zset.rankOf(member)
    if (found?.rank !== rank || !Object.is(found.score, score)) t.fail(`${member} is found at ${found?.rank}`)
    const below = members.findIndex(other => other.score === score)
    const above = members.findLastIndex(other => other.score === score) + 1
    if (zset.countBelowScore(score, false) !== below) t.fail(`${below} members lie below ${score}`)
    if (zset.countBelowScore(score, true) !== above) t.fail(`${above} members lie up to ${score}`)
  }
  t.equal(zset.countBelowScore(-Infinity, false), 0)
  t.equal(zset.countBelowScore(Infinity, true), members.length)
}
