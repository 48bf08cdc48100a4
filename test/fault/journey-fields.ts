// The part of a journey that goes over a hash and a set: they grow from packed rows to trees of pages, and shrink to
// nothing.

import type { Seeded } from '../support/seeded.js'

export interface FieldsState {
  hash: Map<string, string>
  set: Set<string>
}

/** Operation number `n` on `hash` and `set`: a command, and what it does to a model of them. */
export function fieldsOperation(
  n: number,
  rng: Seeded,
  hash: string,
  set: string,
): { command: (string | number)[]; apply(state: FieldsState): void } {
  const field = `f${rng.below(600)}`
  const members = Array.from({ length: rng.between(1, 12) }, () => `m${rng.below(900)}`)
  switch (rng.below(20)) {
    case 0:
      return { command: ['SPOP', set, 1_000_000], apply: s => s.set.clear() }
    case 1:
      return { command: ['DEL', hash], apply: s => s.hash.clear() }
    case 2:
    case 3:
    case 4:
      return { command: ['SREM', set, ...members], apply: s => members.forEach(member => void s.set.delete(member)) }
    case 5:
      // One time in the past and one in a far future: the model need not know the time.
      return { command: ['HPEXPIREAT', hash, 1, 'FIELDS', 1, field], apply: s => void s.hash.delete(field) }
    case 7:
      return { command: ['HPEXPIREAT', hash, 4_000_000_000_000 + n, 'FIELDS', 1, field], apply: () => undefined }
    case 6:
      return { command: ['HDEL', hash, field], apply: s => void s.hash.delete(field) }
    case 8:
      return {
        command: ['HINCRBYFLOAT', hash, 'sum', 2],
        apply: s => void s.hash.set('sum', String(Number(s.hash.get('sum') ?? 0) + 2)),
      }
    case 9:
    case 10:
    case 11:
    case 12:
    case 13:
      return { command: ['SADD', set, ...members], apply: s => members.forEach(member => void s.set.add(member)) }
    default: {
      const value = 'v'.repeat(rng.below(80)) + n
      return { command: ['HSET', hash, field, value], apply: s => void s.hash.set(field, value) }
    }
  }
}
