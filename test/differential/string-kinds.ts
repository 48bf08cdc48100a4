// The string commands for the generator: numbers, texts and bits under a few keys that all of them share.

import type { Argument, Generator, Kind } from './generator.js'

const KEYS: readonly Argument[] = ['v1', 'v2', 'v3', 'v4', Buffer.from([6, 255, 0])]
const NUMBERS: readonly Argument[] = [
  0,
  1,
  -1,
  10,
  '9223372036854775806',
  '-9223372036854775807',
  '1.5',
  '1e3',
  'x',
  '',
]
const FLOATS: readonly Argument[] = [
  '0.1',
  '-0.5',
  '3',
  '1e10',
  '1.7e308',
  '5e-324',
  'nan',
  'inf',
  'x',
  ' 1',
  '0x10',
  '-0',
]
const CONTENTS: readonly Argument[] = [
  '',
  '0',
  '10',
  '-3',
  '3.25',
  'abc',
  'ohmytext',
  'mynewtext',
  'x'.repeat(50),
  ' 7',
]

function key(g: Generator): Argument {
  return g.rng.chance(0.95) ? g.rng.pick(KEYS) : g.key()
}

function content(g: Generator): Argument {
  const { rng } = g
  if (rng.chance(0.1)) return rng.bytes(rng.below(30))
  return rng.chance(0.02) ? 'long '.repeat(rng.below(3000)) : rng.pick(CONTENTS)
}

function offset(g: Generator): Argument {
  return g.rng.chance(0.05) ? g.rng.pick<Argument>(['x', '-1', '4294967296', '536870912', '']) : g.rng.below(200)
}

function index(g: Generator): Argument {
  return g.rng.chance(0.03)
    ? g.rng.pick<Argument>(['x', '9223372036854775807', '-9223372036854775808'])
    : g.rng.between(-40, 40)
}

function bit(g: Generator): Argument {
  return g.rng.chance(0.03) ? g.rng.pick<Argument>(['2', 'x', '-1']) : g.rng.below(2)
}

function expiry(g: Generator): Argument[] {
  const { rng } = g
  if (rng.chance(0.3)) return ['PERSIST']
  if (rng.chance(0.5)) return [rng.pick(['EX', 'ex']), rng.pick<Argument>([1000, 0, -1, 'x', '9223372036854775807'])]
  // All far away: DBSIZE counts what is overdue until somebody looks.
  return rng.pick<Argument[]>([
    ['PX', 1_000_000],
    ['EXAT', 33_177_117_420],
    ['PXAT', 33_177_117_420_000],
  ])
}

function range(g: Generator): Argument[] {
  return [index(g), index(g), ...g.maybe(0.4, g.rng.pick(['BYTE', 'BIT', 'bit', 'x']))]
}

export const stringKinds: readonly Kind[] = [
  {
    weight: 4,
    make: g => ['SET', key(g), content(g), ...g.maybe(0.2, ...g.rng.pick([['NX'], ['XX'], ['GET'], ['KEEPTTL']]))],
  },
  { weight: 1, make: g => ['SET', key(g), content(g), ...expiry(g), ...g.maybe(0.3, 'GET')] },
  { weight: 1, make: g => [g.rng.pick(['SETNX', 'GETSET']), key(g), content(g)] },
  {
    weight: 1,
    make: g => [g.rng.pick(['SETEX', 'PSETEX']), key(g), g.rng.pick<Argument>([1_000_000, 0, -1, 'x']), content(g)],
  },
  { weight: 2, make: g => ['GET', key(g)] },
  { weight: 1, make: g => ['GETEX', key(g), ...g.maybe(0.7, ...expiry(g))] },
  { weight: 1, make: g => ['GETDEL', key(g)] },
  { weight: 1, make: g => [g.rng.pick(['MSET', 'MSETNX']), key(g), content(g), key(g), content(g)] },
  { weight: 1, make: g => ['MGET', key(g), key(g), g.key()] },
  { weight: 2, make: g => ['APPEND', key(g), content(g)] },
  { weight: 2, make: g => ['SETRANGE', key(g), offset(g), content(g)] },
  { weight: 2, make: g => [g.rng.pick(['GETRANGE', 'SUBSTR']), key(g), index(g), index(g)] },
  { weight: 1, make: g => ['STRLEN', key(g)] },
  { weight: 3, make: g => [g.rng.pick(['INCR', 'DECR']), key(g)] },
  { weight: 3, make: g => [g.rng.pick(['INCRBY', 'DECRBY']), key(g), g.rng.pick(NUMBERS)] },
  { weight: 2, make: g => ['INCRBYFLOAT', key(g), g.rng.pick(FLOATS)] },
  { weight: 3, make: g => ['SETBIT', key(g), offset(g), bit(g)] },
  { weight: 2, make: g => ['GETBIT', key(g), offset(g)] },
  { weight: 2, make: g => ['BITCOUNT', key(g), ...g.maybe(0.8, ...range(g))] },
  { weight: 2, make: g => ['BITPOS', key(g), bit(g), ...g.maybe(0.4, index(g)), ...g.maybe(0.5, ...range(g))] },
  {
    weight: 2,
    make: g => ['BITOP', g.rng.pick(['AND', 'OR', 'XOR', 'or']), key(g), key(g), key(g), ...g.maybe(0.3, key(g))],
  },
  { weight: 1, make: g => ['BITOP', 'NOT', key(g), key(g), ...g.maybe(0.1, key(g))] },
  {
    weight: 1,
    make: g => [
      'LCS',
      key(g),
      key(g),
      ...g.maybe(0.3, 'LEN'),
      ...g.maybe(0.5, 'IDX', ...g.maybe(0.5, 'MINMATCHLEN', g.rng.between(-1, 4)), ...g.maybe(0.5, 'WITHMATCHLEN')),
    ],
  },
  { weight: 1, make: g => ['OBJECT', 'ENCODING', key(g)] },
  { weight: 1, make: g => ['COPY', key(g), key(g), ...g.maybe(0.5, 'REPLACE')] },
  { weight: 1, make: g => ['DEL', key(g)] },
]
