// The hash commands for the generator: fields and values that make listpacks, small and large hashes, and the steps
// between.

import type { Argument, Generator, Kind } from './generator.js'

const KEYS: readonly Argument[] = ['h1', 'h2', 'h3', Buffer.from([8, 0, 254])]
const ODD_FIELDS: readonly Argument[] = ['', 'x'.repeat(64), 'x'.repeat(65), Buffer.from([0, 13, 10]), '0', '-1']
const INCREMENTS: readonly Argument[] = [
  1,
  -7,
  100_000,
  '9223372036854775807',
  '-9223372036854775808',
  '1.5',
  '-0.1',
  '3e2',
  'x',
  '',
]

function key(g: Generator): Argument {
  return g.rng.chance(0.95) ? g.rng.pick(KEYS) : g.key()
}

function field(g: Generator): Argument {
  return g.rng.chance(0.04) ? g.rng.pick(ODD_FIELDS) : `f${g.rng.below(30)}`
}

function fields(g: Generator, most: number): Argument[] {
  return Array.from({ length: g.rng.between(1, most) }, () => field(g))
}

/** Mostly short, so that listpacks live long enough to be compared in order. */
function value(g: Generator): Argument {
  if (g.rng.chance(0.02)) return g.rng.bytes(g.rng.pick([64, 65, 1024, 1025, 9000]))
  return g.rng.chance(0.5) ? g.rng.between(-1000, 1000) : g.rng.bytes(g.rng.below(20))
}

function pairs(g: Generator, most: number): Argument[] {
  return fields(g, most).flatMap(name => [name, value(g)])
}

/** So many fields that a hash outgrows its form. */
function run(g: Generator): Argument[] {
  const from = g.rng.below(1000)
  return Array.from({ length: g.rng.between(50, 400) }, (_, i) => [`n${from + i}`, value(g)]).flat()
}

export const hashKinds: readonly Kind[] = [
  { weight: 10, make: g => [g.rng.pick(['HSET', 'HSET', 'HMSET']), key(g), ...pairs(g, 4)] },
  { weight: 1, make: g => ['HSET', key(g), ...run(g)] },
  { weight: 2, make: g => ['HSETNX', key(g), field(g), value(g)] },
  { weight: 5, make: g => ['HDEL', key(g), ...fields(g, 5)] },
  { weight: 4, make: g => [g.rng.pick(['HGET', 'HEXISTS', 'HSTRLEN']), key(g), field(g)] },
  { weight: 2, make: g => ['HMGET', key(g), ...fields(g, 4)] },
  { weight: 4, make: g => [g.rng.pick(['HGETALL', 'HKEYS', 'HVALS', 'HLEN']), key(g)] },
  { weight: 4, make: g => ['HINCRBY', key(g), field(g), g.rng.pick(INCREMENTS)] },
  { weight: 3, make: g => ['HINCRBYFLOAT', key(g), field(g), g.rng.pick(INCREMENTS)] },
  {
    weight: 2,
    make: g => ['HRANDFIELD', key(g), ...g.maybe(0.8, g.rng.between(-20, 20), ...g.maybe(0.4, 'WITHVALUES'))],
  },
  // One call that gives everything: cursors have no meaning elsewhere.
  { weight: 1, sound: true, make: g => ['HSCAN', key(g), 0, 'COUNT', 100_000, ...g.maybe(0.4, 'MATCH', '*1*')] },
  { weight: 2, make: g => ['OBJECT', 'ENCODING', key(g)] },
  { weight: 1, make: g => ['COPY', key(g), key(g), ...g.maybe(0.5, 'REPLACE')] },
  { weight: 1, make: g => [g.rng.pick(['RENAME', 'RENAMENX']), key(g), key(g)] },
  { weight: 1, make: g => [g.rng.pick(['DEL', 'TYPE', 'EXISTS']), key(g)] },
]
