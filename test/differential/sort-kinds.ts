// SORT for the generator, over the keys of the other families. Left out is what has no order in Redis: a set BY nosort
// without STORE, ties of ALPHA weights, and ALPHA without STORE, where a byte 0 ends the comparison.

import type { Argument, Generator, Kind } from './generator.js'

/** 'ranked' is a sorted set of its own: SORT unpacks it in Redis, which OBJECT ENCODING would show. */
const LISTED: readonly Argument[] = ['l1', 'l2', 'ranked', 'ranked', 'missing', 's1']
const SORTABLE: readonly Argument[] = [...LISTED, 't1', 't2']
const PATTERNS: readonly Argument[] = ['#', 'w_*', 'w_*', 'h1->*', 'h*->f', 'plain', 'w_*->f']

function limit(g: Generator): Argument[] {
  return g.maybe(0.3, 'LIMIT', g.rng.between(-2, 6), g.rng.between(-2, 9))
}

function got(g: Generator): Argument[] {
  const patterns = Array.from({ length: g.rng.below(3) }, () => g.rng.pick(PATTERNS))
  return patterns.flatMap(pattern => ['GET', pattern])
}

function order(g: Generator): Argument[] {
  return g.rng.pick<Argument[]>([[], ['ASC'], ['DESC']])
}

function stored(g: Generator): Argument[] {
  return ['STORE', g.rng.pick<Argument>(['l3', 'sorted', 'sorted'])]
}

export const sortKinds: readonly Kind[] = [
  {
    weight: 3,
    make: g => ['SET', `w_${g.rng.between(-5, 5)}`, g.rng.pick<Argument>([g.rng.between(-9, 9), '1.5', 'x'])],
  },
  { weight: 1, make: g => ['DEL', `w_${g.rng.between(-5, 5)}`] },
  {
    weight: 2,
    make: g => [g.rng.pick(['SORT', 'SORT_RO']), g.rng.pick(SORTABLE), ...limit(g), ...order(g), ...got(g)],
  },
  { weight: 2, make: g => ['SORT', g.rng.pick(SORTABLE), 'BY', 'w_*', ...limit(g), ...order(g), ...got(g)] },
  { weight: 2, make: g => ['SORT', g.rng.pick(LISTED), 'BY', 'nosort', ...limit(g), ...order(g), ...got(g)] },
  { weight: 2, make: g => ['SORT', g.rng.pick(SORTABLE), 'ALPHA', ...limit(g), ...order(g), ...got(g), ...stored(g)] },
  { weight: 1, make: g => ['SORT', g.rng.pick(SORTABLE), 'BY', 'nosort', ...limit(g), ...got(g), ...stored(g)] },
  { weight: 1, make: g => ['ZADD', 'ranked', g.rng.between(-3, 3), g.rng.between(-5, 5)] },
  { weight: 1, make: () => ['LRANGE', 'sorted', 0, -1] },
]
