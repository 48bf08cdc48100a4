// The part of a journey that goes over a sorted set: it grows from a packed row to trees of pages, is cut from both
// ends and in its middle, and shrinks to nothing.

import type { Seeded } from '../support/seeded.js'

export interface ZsetState {
  zset: Map<string, number>
}

interface ZsetOperation {
  readonly command: (string | number)[]
  apply(state: ZsetState): void
}

/** Operation number `n` on `key`: a command, and what it does to a model of it. */
export function zsetOperation(n: number, rng: Seeded, key: string): ZsetOperation {
  const members = Array.from({ length: rng.between(1, 12) }, () => `m${rng.below(900)}`)
  switch (rng.below(20)) {
    case 0:
      return { command: ['DEL', key], apply: s => s.zset.clear() }
    case 1:
    case 2: {
      const count = rng.between(1, 20)
      return { command: ['ZPOPMIN', key, count], apply: s => remove(s, inOrder(s).slice(0, count)) }
    }
    case 3:
      return { command: ['BZPOPMAX', key, 'nothing', '0.001'], apply: s => remove(s, inOrder(s).slice(-1)) }
    case 4: {
      const from = rng.below(1000)
      const range = (s: ZsetState) => inOrder(s).filter(([, score]) => score >= from && score < from + 10)
      return { command: ['ZREMRANGEBYSCORE', key, from, `(${from + 10}`], apply: s => remove(s, range(s)) }
    }
    case 5:
    case 6:
      return { command: ['ZREM', key, ...members], apply: s => members.forEach(member => void s.zset.delete(member)) }
    case 7:
    case 8:
    case 9:
      return {
        command: ['ZINCRBY', key, 2.5, members[0]],
        apply: s => void s.zset.set(members[0], (s.zset.get(members[0]) ?? 0) + 2.5),
      }
    default: {
      const score = (i: number) => ((n * 31 + i * 7) % 4000) / 4
      return {
        command: ['ZADD', key, ...members.flatMap((member, i) => [score(i), member])],
        apply: s => members.forEach((member, i) => void s.zset.set(member, score(i))),
      }
    }
  }
}

/** Members with scores as ZRANGE gives them. */
export function inOrder(state: ZsetState): [string, number][] {
  return [...state.zset].sort(([a, scoreA], [b, scoreB]) => scoreA - scoreB || (a < b ? -1 : 1))
}

function remove(state: ZsetState, members: readonly [string, number][]): void {
  for (const [member] of members) state.zset.delete(member)
}
