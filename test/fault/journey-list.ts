// The part of a journey that goes over a list: it grows from a packed row to pages, is changed at its ends and within,
// and shrinks.

import type { Seeded } from '../support/seeded.js'

export interface ListState {
  list: string[]
}

/** Operation number `n` on `list`: a command, and what it does to a model of it. */
export function listOperation(
  n: number,
  rng: Seeded,
  list: string,
): { command: (string | number)[]; apply(state: ListState): void } {
  const values = Array.from({ length: rng.between(1, 8) }, (_, i) => `${'v'.repeat(rng.below(60))}${n}.${i % 3}`)
  const common = `common${rng.below(4)}`
  switch (rng.below(14)) {
    case 0:
      return { command: ['LTRIM', list, 0, 500], apply: s => void s.list.splice(501) }
    case 1:
      return { command: ['RPOPLPUSH', list, list], apply: s => void s.list.unshift(...s.list.splice(-1)) }
    case 2:
    case 3:
      return { command: ['LPOP', list, values.length], apply: s => void s.list.splice(0, values.length) }
    case 4:
      return { command: ['BRPOP', list, '0.001'], apply: s => void s.list.pop() }
    case 5:
      return { command: ['LREM', list, 0, common], apply: s => void (s.list = s.list.filter(v => v !== common)) }
    case 6:
    case 7:
      return {
        command: ['LINSERT', list, 'AFTER', common, values[0]],
        apply(s) {
          const at = s.list.indexOf(common)
          if (at >= 0) s.list.splice(at + 1, 0, values[0])
        },
      }
    case 8:
    case 9:
      return {
        command: ['LPUSH', list, common, ...values],
        apply: s => [common, ...values].forEach(v => s.list.unshift(v)),
      }
    default:
      return { command: ['RPUSH', list, ...values, common], apply: s => void s.list.push(...values, common) }
  }
}
