// The set commands for the generator: members that make intsets, small and large sets, and the steps between them.

import type { Argument, Generator, Kind } from './generator.js'

const KEYS: readonly Argument[] = ['t1', 't2', 't3', 't4', Buffer.from([7, 0, 255])]
const ODD_MEMBERS: readonly Argument[] = [
  '',
  '-0',
  '007',
  ' 5',
  '1.0',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  'x'.repeat(65),
  'y'.repeat(4000),
  Buffer.from([0, 13, 10]),
]

function key(g: Generator): Argument {
  return g.rng.chance(0.95) ? g.rng.pick(KEYS) : g.key()
}

function keys(g: Generator): Argument[] {
  return Array.from({ length: g.rng.between(1, 3) }, () => key(g))
}

function member(g: Generator): Argument {
  if (g.rng.chance(0.05)) return g.rng.pick(ODD_MEMBERS)
  return g.rng.chance(0.6) ? g.rng.between(-40, 40) : `m${g.rng.below(60)}`
}

function members(g: Generator, most: number): Argument[] {
  return Array.from({ length: g.rng.between(1, most) }, () => member(g))
}

/** Neighbours of a random number, so many that a set outgrows its form. */
function run(g: Generator): Argument[] {
  const from = g.rng.below(1000)
  const prefix = g.rng.pick(['', 'n', 'a-longer-name-of-a-member-'])
  return Array.from({ length: g.rng.between(50, 400) }, (_, i) => prefix + String(from + i))
}

export const setKinds: readonly Kind[] = [
  { weight: 10, make: g => ['SADD', key(g), ...(g.rng.chance(0.06) ? run(g) : members(g, 4))] },
  { weight: 6, make: g => ['SREM', key(g), ...(g.rng.chance(0.06) ? run(g) : members(g, 4))] },
  { weight: 2, make: g => ['SCARD', key(g)] },
  { weight: 2, make: g => ['SISMEMBER', key(g), member(g)] },
  { weight: 2, make: g => ['SMISMEMBER', key(g), ...members(g, 4)] },
  { weight: 3, make: g => ['SMEMBERS', key(g)] },
  { weight: 2, make: g => ['SMOVE', key(g), key(g), member(g)] },
  { weight: 4, make: g => [g.rng.pick(['SINTER', 'SUNION', 'SDIFF']), ...keys(g)] },
  { weight: 4, make: g => [g.rng.pick(['SINTERSTORE', 'SUNIONSTORE', 'SDIFFSTORE']), key(g), ...keys(g)] },
  {
    weight: 2,
    make: g => {
      const named = keys(g)
      return ['SINTERCARD', named.length, ...named, ...g.maybe(0.5, 'LIMIT', g.rng.below(5))]
    },
  },
  { weight: 2, make: g => ['SRANDMEMBER', key(g), ...g.maybe(0.7, g.rng.between(-20, 20))] },
  // What is chosen by chance must be all or nothing, else the servers part.
  { weight: 1, sound: true, make: g => ['SPOP', key(g), g.rng.pick<Argument>([0, 1_000_000, -1, 'x'])] },
  // One call that gives everything: cursors have no meaning elsewhere.
  { weight: 1, sound: true, make: g => ['SSCAN', key(g), 0, 'COUNT', 100_000, ...g.maybe(0.4, 'MATCH', '*1*')] },
  { weight: 2, make: g => ['OBJECT', 'ENCODING', key(g)] },
  { weight: 1, make: g => ['COPY', key(g), key(g), ...g.maybe(0.5, 'REPLACE')] },
  { weight: 1, make: g => [g.rng.pick(['RENAME', 'RENAMENX']), key(g), key(g)] },
  { weight: 1, make: g => [g.rng.pick(['DEL', 'TYPE', 'EXISTS']), key(g)] },
]
