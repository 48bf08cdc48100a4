// The commands of sorted sets for the generator: scores that collide, small and large sets, and the steps between them.
// Ranges by name are asked of sets whose scores are all equal: elsewhere Redis leaves their meaning open.

import type { Argument, Generator, Kind } from './generator.js'

const KEYS: readonly Argument[] = ['z1', 'z2', 'z3', Buffer.from([9, 0, 255])]
/** All scores are 0. */
const NAMES: readonly Argument[] = ['n1', 'n2']
const ODD_SCORES: readonly Argument[] = [
  'inf',
  '-inf',
  '+Infinity',
  '1e17',
  '-4e18',
  '5e18',
  '0.1',
  '1e-300',
  '1.5e300',
  '-0',
  '0x10',
  'nan',
  'x',
  '1e400',
]
const ODD_MEMBERS: readonly Argument[] = ['', '-0', '007', 'x'.repeat(65), 'y'.repeat(4000), Buffer.from([0, 13, 10])]

function key(g: Generator): Argument {
  return g.rng.chance(0.95) ? g.rng.pick(KEYS) : g.key()
}

function nameKey(g: Generator): Argument {
  return g.rng.pick(NAMES)
}

/** Sorted sets, and a set now and then. */
function inputs(g: Generator): Argument[] {
  return Array.from({ length: g.rng.between(1, 3) }, () => (g.rng.chance(0.15) ? 't1' : key(g)))
}

function member(g: Generator): Argument {
  return g.rng.chance(0.04) ? g.rng.pick(ODD_MEMBERS) : `m${g.rng.below(60)}`
}

function members(g: Generator, most: number): Argument[] {
  return Array.from({ length: g.rng.between(1, most) }, () => member(g))
}

function score(g: Generator): Argument {
  if (g.rng.chance(0.06)) return g.rng.pick(ODD_SCORES)
  return g.rng.chance(0.7) ? g.rng.between(-20, 20) : (g.rng.fraction() * 100).toFixed(g.rng.below(4))
}

function scored(g: Generator, most: number): Argument[] {
  return members(g, most).flatMap(name => [score(g), name])
}

/** So many neighbours that a sorted set outgrows its form. */
function run(g: Generator): Argument[] {
  const from = g.rng.below(600)
  const prefix = g.rng.pick(['r', 'a-longer-name-of-a-member-'])
  return Array.from({ length: g.rng.between(50, 400) }, (_, i) => [i % 37, `${prefix}${from + i}`]).flat()
}

function scoreBound(g: Generator): Argument {
  if (g.rng.chance(0.2)) return g.rng.pick(['-inf', '+inf', '(inf', '', '(', ' 1', 'x'])
  return `${g.rng.chance(0.3) ? '(' : ''}${g.rng.between(-22, 22)}`
}

function nameBound(g: Generator): Argument {
  if (g.rng.chance(0.2)) return g.rng.pick(['-', '+', '[', '(', 'm', ''])
  return `${g.rng.pick(['(', '['])}m${g.rng.below(60)}`
}

function limit(g: Generator): Argument[] {
  return g.maybe(0.3, 'LIMIT', g.rng.between(-1, 6), g.rng.between(-1, 10))
}

function scores(g: Generator): Argument[] {
  return g.maybe(0.5, 'WITHSCORES')
}

/** The arguments of ZRANGE behind its key. */
function range(g: Generator): Argument[] {
  const reverse = g.maybe(0.4, 'REV')
  if (g.rng.chance(0.5)) return [g.rng.between(-12, 12), g.rng.between(-12, 12), ...reverse]
  return [scoreBound(g), scoreBound(g), 'BYSCORE', ...reverse, ...limit(g)]
}

function addOptions(g: Generator): Argument[] {
  return [
    ...g.maybe(0.15, g.rng.pick(['NX', 'XX'])),
    ...g.maybe(0.2, g.rng.pick(['GT', 'LT'])),
    ...g.maybe(0.2, 'CH'),
    ...g.maybe(0.1, 'INCR'),
  ]
}

function combined(g: Generator, mayWeigh: boolean): Argument[] {
  const keys = inputs(g)
  const words = mayWeigh
    ? [
        ...g.maybe(0.3, 'WEIGHTS', ...keys.map(() => g.rng.pick<Argument>([1, 2, 0, -1, 0.5, 'inf', '1e10']))),
        ...g.maybe(0.3, 'AGGREGATE', g.rng.pick(['SUM', 'MIN', 'MAX'])),
      ]
    : []
  return [keys.length, ...keys, ...words]
}

const end = (g: Generator) => g.rng.pick(['MIN', 'MAX'])

export const zsetKinds: readonly Kind[] = [
  {
    weight: 12,
    make: g => ['ZADD', key(g), ...addOptions(g), ...(g.rng.chance(0.06) ? run(g) : scored(g, 4))],
  },
  { weight: 4, sound: true, make: g => ['ZADD', nameKey(g), ...members(g, 6).flatMap(name => [0, name])] },
  { weight: 3, make: g => ['ZINCRBY', key(g), score(g), member(g)] },
  { weight: 4, make: g => ['ZREM', g.rng.chance(0.8) ? key(g) : nameKey(g), ...members(g, 4)] },
  { weight: 3, make: g => [g.rng.pick(['ZSCORE', 'ZRANK', 'ZREVRANK']), key(g), member(g)] },
  { weight: 2, make: g => ['ZMSCORE', key(g), ...members(g, 4)] },
  { weight: 1, make: g => ['ZCARD', key(g)] },
  { weight: 8, make: g => ['ZRANGE', key(g), ...range(g), ...scores(g)] },
  { weight: 2, make: g => ['ZREVRANGE', key(g), g.rng.between(-9, 9), g.rng.between(-9, 9), ...scores(g)] },
  {
    weight: 4,
    make: g => [
      g.rng.pick(['ZRANGEBYSCORE', 'ZREVRANGEBYSCORE']),
      key(g),
      scoreBound(g),
      scoreBound(g),
      ...scores(g),
      ...limit(g),
    ],
  },
  {
    weight: 4,
    make: g => [g.rng.pick(['ZRANGEBYLEX', 'ZREVRANGEBYLEX']), nameKey(g), nameBound(g), nameBound(g), ...limit(g)],
  },
  { weight: 2, make: g => ['ZCOUNT', key(g), scoreBound(g), scoreBound(g)] },
  { weight: 2, make: g => ['ZLEXCOUNT', nameKey(g), nameBound(g), nameBound(g)] },
  { weight: 2, make: g => ['ZRANGESTORE', key(g), key(g), ...range(g)] },
  { weight: 1, make: g => ['ZREMRANGEBYRANK', key(g), g.rng.between(-9, 9), g.rng.between(-9, 9)] },
  { weight: 1, make: g => ['ZREMRANGEBYSCORE', key(g), scoreBound(g), scoreBound(g)] },
  { weight: 1, make: g => ['ZREMRANGEBYLEX', nameKey(g), nameBound(g), nameBound(g)] },
  { weight: 3, make: g => [g.rng.pick(['ZPOPMIN', 'ZPOPMAX']), key(g), ...g.maybe(0.5, g.rng.between(-1, 9))] },
  {
    weight: 2,
    make: g => {
      const keys = [key(g), key(g)]
      return ['ZMPOP', 2, ...keys, end(g), ...g.maybe(0.5, 'COUNT', g.rng.between(0, 6))]
    },
  },
  { weight: 3, make: g => [g.rng.pick(['ZUNION', 'ZINTER']), ...combined(g, true), ...scores(g)] },
  { weight: 1, make: g => ['ZDIFF', ...combined(g, false), ...scores(g)] },
  { weight: 3, make: g => [g.rng.pick(['ZUNIONSTORE', 'ZINTERSTORE']), key(g), ...combined(g, true)] },
  { weight: 1, make: g => ['ZDIFFSTORE', key(g), ...combined(g, false)] },
  { weight: 1, make: g => ['ZINTERCARD', ...combined(g, false), ...g.maybe(0.5, 'LIMIT', g.rng.below(5))] },
  { weight: 2, make: g => ['ZRANDMEMBER', key(g), ...g.maybe(0.7, g.rng.between(-20, 20), ...scores(g))] },
  // One call that gives everything: cursors have no meaning elsewhere.
  { weight: 1, sound: true, make: g => ['ZSCAN', key(g), 0, 'COUNT', 100_000, ...g.maybe(0.4, 'MATCH', '*1*')] },
  { weight: 2, make: g => ['OBJECT', 'ENCODING', key(g)] },
  { weight: 1, make: g => ['COPY', key(g), key(g), ...g.maybe(0.5, 'REPLACE')] },
  { weight: 1, make: g => [g.rng.pick(['RENAME', 'RENAMENX']), key(g), key(g)] },
  { weight: 1, make: g => [g.rng.pick(['DEL', 'TYPE', 'EXISTS']), key(g)] },
]
