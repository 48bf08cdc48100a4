// Stream IDs spread in ways that lead a search astray that guesses where an ID should be. Used by: tests of pages.

import type { StreamId } from '../../src/base/stream-id.js'
import { compareIds, ID_MAX, ID_MIN, idOf, nextId, previousId } from '../../src/base/stream-id.js'
import type { Seeded } from './seeded.js'

/** Lists of ascending IDs: even, in bursts, one far from all others, of one millisecond, at the very ends. */
export function skewedLists(random: Seeded): StreamId[][] {
  const count = random.between(1, 120)
  const steps = (step: (i: number) => number): StreamId[] => {
    let ms = random.below(5)
    return Array.from({ length: count }, (_, i) => idOf((ms += step(i))))
  }
  return [
    steps(() => 7),
    steps(() => 1 + random.below(20)),
    steps(i => 2 ** (i % 40)),
    steps(i => (i === 0 ? 2 ** 44 : 2)),
    steps(i => (i === count - 1 ? 2 ** 44 : 2)),
    steps(i => (i === count >> 1 ? 2 ** 44 : 2)),
    Array.from({ length: count }, (_, i) => idOf(9, 3 * i + 1)),
    [ID_MIN, ...steps(() => 3).map(({ msLo }) => idOf(2 ** 48 + msLo)), previousId(ID_MAX)!, ID_MAX],
  ]
}

/** IDs to look for among `ids`: each of them and its neighbours, and the ends. */
export function probesOf(ids: readonly StreamId[]): StreamId[] {
  const probes = ids.flatMap(id => [previousId(id), id, nextId(id)])
  return [ID_MIN, ...probes.filter(id => id !== undefined), ID_MAX].sort(compareIds)
}
