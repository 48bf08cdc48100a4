// The list commands over TCP.

import t from 'tap'
import { answersAlike, needsRedis } from './wire-pair.js'

const SETUP = ['SET str x', 'RPUSH l a b c a b c a b c', 'RPUSH one m', 'RPUSH to 1 2 3']
const INDEXES = ['0', '1', '-1', '8', '-9', '9', '-10', '100', '-100', '9223372036854775807', '-9223372036854775808']
const ODD = ['x', '""', '1.5', '9223372036854775808', '\\s1']

t.test('LLEN, LINDEX, LRANGE and LSET answer as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    ...SETUP,
    'LLEN l',
    'LLEN none',
    'LLEN str',
    'LLEN',
    'OBJECT ENCODING l',
    'TYPE l',
    ...[...INDEXES, ...ODD].flatMap(i => [`LINDEX l ${i}`, `LINDEX none ${i}`, `LINDEX str ${i}`]),
    ...INDEXES.flatMap(i => INDEXES.map(k => `LRANGE l ${i} ${k}`)),
    ...ODD.flatMap(i => [`LRANGE l ${i} 1`, `LRANGE l 1 ${i}`, `LRANGE none ${i} 1`, `LRANGE str 1 ${i}`]),
    'LRANGE none 0 -1',
    'LRANGE str 0 -1',
    ...[...INDEXES, ...ODD].flatMap(i => [`LSET l ${i} v${i}`, `LSET none ${i} v`, `LSET str ${i} v`]),
    'LSET l 0 ""',
    'LSET l 1 \\0\\s',
    'LSET l',
    'LRANGE l 0 -1',
  ])
})

t.test('LPOP, RPOP and LMPOP answer as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    ...SETUP,
    ...['LPOP', 'RPOP'].flatMap(name => [
      `${name}`,
      `${name} none`,
      `${name} str`,
      `${name} l`,
      `${name} l 2`,
      `${name} l 0`,
      `${name} none 0`,
      `${name} none 2`,
      `${name} str 2`,
      `${name} l -1`,
      `${name} none -1`,
      `${name} l 1 2`,
      ...ODD.map(count => `${name} l ${count}`),
    ]),
    'LPOP l 9223372036854775807',
    'EXISTS l',
    'RPOP one',
    'EXISTS one',
    'RPUSH l a b c d e f g h i j',
    'RPOP l 3',
    'LMPOP 1 none LEFT',
    'LMPOP 2 none l LEFT',
    'LMPOP 2 none l right count 2',
    'LMPOP 2 none str LEFT',
    'LMPOP 2 l str LEFT COUNT 1',
    'LMPOP 0 l LEFT',
    'LMPOP -1 l LEFT',
    'LMPOP x l LEFT',
    'LMPOP 1 l UP',
    'LMPOP 2 l LEFT',
    'LMPOP 9223372036854775807 l LEFT',
    'LMPOP 1 l LEFT COUNT 0',
    'LMPOP 1 l LEFT COUNT x',
    'LMPOP 1 l LEFT COUNT',
    'LMPOP 1 l LEFT COUNT 1 COUNT 1',
    'LMPOP 1 l LEFT FOO 1',
    'LMPOP 1 l LEFT COUNT 99',
    'EXISTS l',
  ])
})

t.test('LTRIM answers as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    ...SETUP,
    'LTRIM none 0 1',
    'LTRIM str 0 1',
    ...ODD.flatMap(i => [`LTRIM l ${i} 1`, `LTRIM none 1 ${i}`]),
    ...INDEXES.flatMap(i =>
      INDEXES.flatMap(k => ['DEL q', 'RPUSH q a b c a b c a b c', `LTRIM q ${i} ${k}`, 'LRANGE q 0 -1', 'EXISTS q']),
    ),
  ])
})

t.test('LREM, LINSERT and LPOS answer as redis-server', needsRedis, async t => {
  const counts = ['0', '1', '2', '-1', '-2', '99', '-99', '9223372036854775807', '-9223372036854775807']
  await answersAlike(t, [
    ...SETUP,
    'LREM none 0 a',
    'LREM none x a',
    'LREM str 0 a',
    'LREM l -9223372036854775808 a',
    ...ODD.map(count => `LREM l ${count} a`),
    ...counts.flatMap(count => ['DEL q', 'RPUSH q a b c a b c a b c', `LREM q ${count} a`, 'LRANGE q 0 -1']),
    'DEL q',
    'RPUSH q a a',
    'LREM q 0 a',
    'EXISTS q',
    'LINSERT l BEFORE b new',
    'LINSERT l after b new2',
    'LINSERT l BEFORE none new',
    'LINSERT none BEFORE b new',
    'LINSERT none UP b new',
    'LINSERT str BEFORE b new',
    'LINSERT str UP b new',
    'LINSERT l BEFORE b',
    'LINSERT l BEFORE a first',
    'LINSERT l AFTER c \\0',
    'LRANGE l 0 -1',
    ...['1', '2', '3', '4', '-1', '-2', '-3', '-4'].flatMap(rank => [
      `LPOS l a RANK ${rank}`,
      `LPOS l a RANK ${rank} COUNT 2`,
      `LPOS l a RANK ${rank} COUNT 0`,
      `LPOS l a RANK ${rank} COUNT 0 MAXLEN 5`,
      `LPOS l c RANK ${rank} MAXLEN 2`,
      `LPOS l c MAXLEN 0 RANK ${rank}`,
    ]),
    'LPOS l none',
    'LPOS l none COUNT 1',
    'LPOS none a',
    'LPOS none a COUNT 1',
    'LPOS str a',
    'LPOS l a RANK 0',
    'LPOS none a RANK 0',
    'LPOS l a RANK x',
    'LPOS l a RANK -9223372036854775808',
    'LPOS l a RANK -9223372036854775807',
    'LPOS l a COUNT -1',
    'LPOS l a COUNT x',
    'LPOS l a MAXLEN -1',
    'LPOS l a MAXLEN x',
    'LPOS l a MAXLEN',
    'LPOS l a FOO 1',
    'LPOS l a COUNT 1 COUNT 2 RANK 1 RANK 2',
    'LPOS l',
  ])
})

t.test('LMOVE and RPOPLPUSH answer as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    ...SETUP,
    'LMOVE none to LEFT LEFT',
    'LMOVE none str LEFT LEFT',
    'LMOVE str to LEFT LEFT',
    'LMOVE l str LEFT LEFT',
    'LMOVE l to UP LEFT',
    'LMOVE l to LEFT UP',
    'LMOVE l to LEFT',
    ...['left', 'right'].flatMap(a =>
      ['LEFT', 'RIGHT'].flatMap(b => [
        `LMOVE l to ${a} ${b}`,
        'LRANGE l 0 -1',
        'LRANGE to 0 -1',
        `LMOVE l l ${a} ${b}`,
      ]),
    ),
    'LMOVE one one LEFT RIGHT',
    'LRANGE one 0 -1',
    'LMOVE one fresh LEFT RIGHT',
    'EXISTS one',
    'LRANGE fresh 0 -1',
    'RPOPLPUSH none to',
    'RPOPLPUSH str to',
    'RPOPLPUSH l str',
    'RPOPLPUSH l to',
    'RPOPLPUSH l l',
    'RPOPLPUSH fresh fresher',
    'LRANGE fresher 0 -1',
    'LRANGE l 0 -1',
    'LRANGE to 0 -1',
    'COPY l twin',
    'LRANGE twin 0 -1',
  ])
})

t.test('commands that may wait answer at once as redis-server', needsRedis, async t => {
  const pops = ['BLPOP', 'BRPOP'].flatMap(name => [
    `${name} l 0`,
    `${name} none l 0`,
    `${name} none str 0`,
    `${name} l str 0`,
    `${name} l`,
    ...['x', '-1', 'nan', 'inf', '-inf', '1e300', '\\s1', '""', '-0.0011'].map(time => `${name} l ${time}`),
    `${name} none 0x1p-8`,
    `${name} none none2 0.002`,
    'MULTI',
    `${name} none 0`,
    `${name} none l 0`,
    'EXEC',
  ])
  await answersAlike(t, [
    ...SETUP,
    ...pops,
    'BLMPOP 0 2 none l LEFT COUNT 2',
    'BLMPOP 0.002 1 none LEFT',
    'BLMPOP 0 2 none str LEFT',
    'BLMPOP x 0 l LEFT',
    'BLMPOP x 1 l UP',
    'BLMPOP x 1 l LEFT COUNT 0',
    'BLMPOP x 1 l LEFT',
    'BLMPOP -1 1 l LEFT',
    'BLMPOP 0 2 l LEFT',
    'RPUSH l a b c',
    'BLMOVE l to LEFT RIGHT 0',
    'BLMOVE none to LEFT RIGHT 0.002',
    'BLMOVE none str LEFT RIGHT 0.002',
    'BLMOVE l str LEFT RIGHT 0',
    'BLMOVE str l LEFT RIGHT x',
    'BLMOVE none l UP RIGHT x',
    'BLMOVE str l LEFT RIGHT 0',
    'BLMOVE l to LEFT RIGHT -1',
    'BRPOPLPUSH l to 0',
    'BRPOPLPUSH none to 0.002',
    'BRPOPLPUSH none to x',
    'BRPOPLPUSH l str 0',
    'MULTI',
    'BLMPOP 0 1 none LEFT',
    'BLMOVE none to LEFT RIGHT 0',
    'BRPOPLPUSH none to 0',
    'BRPOPLPUSH l to 0',
    'EXEC',
    'LRANGE l 0 -1',
    'LRANGE to 0 -1',
  ])
})
