// The list commands for the generator: elements that repeat, lists that outgrow their row, and every option.

import type { Argument, Generator, Kind } from './generator.js'

const KEYS: readonly Argument[] = ['l1', 'l2', 'l3', Buffer.from([8, 0, 255])]
const ODD_ELEMENTS: readonly Argument[] = ['', '-0', 'x'.repeat(65), 'y'.repeat(9000), Buffer.from([0, 13, 10])]
const ENDS: readonly Argument[] = ['LEFT', 'RIGHT', 'left']

function key(g: Generator): Argument {
  return g.rng.chance(0.96) ? g.rng.pick(KEYS) : g.key()
}

function keys(g: Generator): Argument[] {
  return Array.from({ length: g.rng.between(1, 3) }, () => key(g))
}

function element(g: Generator): Argument {
  if (g.rng.chance(0.03)) return g.rng.pick(ODD_ELEMENTS)
  return g.rng.chance(0.5) ? g.rng.between(-5, 5) : `e${g.rng.below(8)}`
}

/** A few, or so many that a list outgrows its row, or its first page. */
function elements(g: Generator): Argument[] {
  const { rng } = g
  if (rng.chance(0.95)) return Array.from({ length: rng.between(1, 4) }, () => element(g))
  const prefix = rng.pick(['', 'n', 'a-longer-element-of-a-list-'])
  return Array.from({ length: rng.between(50, 700) }, () => prefix + String(rng.below(50)))
}

function index(g: Generator): Argument {
  return g.rng.chance(0.8) ? g.rng.between(-12, 12) : g.rng.between(-900, 900)
}

function move(g: Generator): Argument[] {
  return [key(g), key(g), g.rng.pick(ENDS), g.rng.pick(ENDS)]
}

function manyPop(g: Generator): Argument[] {
  const named = keys(g)
  return [named.length, ...named, g.rng.pick(ENDS), ...g.maybe(0.6, 'COUNT', g.rng.between(1, 20))]
}

export const listKinds: readonly Kind[] = [
  { weight: 12, make: g => [g.rng.pick(['LPUSH', 'RPUSH']), key(g), ...elements(g)] },
  { weight: 2, make: g => [g.rng.pick(['LPUSHX', 'RPUSHX']), key(g), ...elements(g)] },
  { weight: 5, make: g => [g.rng.pick(['LPOP', 'RPOP']), key(g)] },
  { weight: 3, make: g => [g.rng.pick(['LPOP', 'RPOP']), key(g), g.rng.pick<Argument>([0, 1, 3, 200, -1, 'x'])] },
  { weight: 2, make: g => ['LMPOP', ...manyPop(g)] },
  { weight: 2, make: g => ['LLEN', key(g)] },
  { weight: 3, make: g => ['LINDEX', key(g), index(g)] },
  { weight: 4, make: g => ['LSET', key(g), index(g), element(g)] },
  { weight: 4, make: g => ['LRANGE', key(g), index(g), index(g)] },
  { weight: 2, make: g => ['LRANGE', key(g), 0, -1] },
  { weight: 1, make: g => ['LTRIM', key(g), index(g), index(g)] },
  { weight: 1, make: g => ['LTRIM', key(g), g.rng.below(3), -1 - g.rng.below(3)] },
  { weight: 3, make: g => ['LREM', key(g), g.rng.between(-3, 3), element(g)] },
  { weight: 4, make: g => ['LINSERT', key(g), g.rng.pick(['BEFORE', 'AFTER', 'after']), element(g), element(g)] },
  {
    weight: 3,
    make: g => [
      'LPOS',
      key(g),
      element(g),
      ...g.maybe(0.5, 'RANK', g.rng.between(-4, 4)),
      ...g.maybe(0.5, 'COUNT', g.rng.below(4)),
      ...g.maybe(0.3, 'MAXLEN', g.rng.below(30)),
    ],
  },
  { weight: 3, make: g => ['LMOVE', ...move(g)] },
  { weight: 2, make: g => ['RPOPLPUSH', key(g), key(g)] },
  // A list that is there is taken from at once; else the wait is short.
  { weight: 1, sound: true, make: g => [g.rng.pick(['BLPOP', 'BRPOP']), ...keys(g), '0.001'] },
  { weight: 1, sound: true, make: g => ['BLMPOP', '0.001', ...manyPop(g)] },
  { weight: 1, sound: true, make: g => ['BLMOVE', ...move(g), '0.001'] },
  { weight: 1, sound: true, make: g => ['BRPOPLPUSH', key(g), key(g), '0.001'] },
  { weight: 1, make: g => ['COPY', key(g), key(g), ...g.maybe(0.5, 'REPLACE')] },
  { weight: 1, make: g => [g.rng.pick(['RENAME', 'RENAMENX']), key(g), key(g)] },
  { weight: 1, make: g => [g.rng.pick(['DEL', 'TYPE', 'EXISTS']), key(g)] },
  { weight: 1, make: g => ['OBJECT', 'ENCODING', key(g)] },
]
