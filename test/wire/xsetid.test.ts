// XSETID over TCP; that the last ID may not fall below the highest deleted one is of Redis 7.2 and tested elsewhere.

import t from 'tap'
import { answersAlike, needsRedis } from './wire-pair.js'

t.test('XSETID answers as redis-server', needsRedis, async t => {
  await answersAlike(t, [
    'XADD s 1-1 f v',
    'XADD s 2-1 f v',
    'XADD s 3-1 f v',
    'XDEL s 1-1',
    'SET str x',
    'XSETID s',
    'XSETID none x',
    'XSETID none 5',
    'XSETID str 5',
    'XSETID s x',
    'XSETID s 5 foo',
    'XSETID s 5 ENTRIESADDED',
    'XSETID s 5 ENTRIESADDED 3',
    'XSETID s 5 ENTRIESADDED -1 MAXDELETEDID 1',
    'XSETID s 5 ENTRIESADDED x',
    'XSETID s 5 MAXDELETEDID 6',
    'XSETID s 5 MAXDELETEDID x',
    'XSETID none 5 MAXDELETEDID 6',
    'XSETID none 5 ENTRIESADDED -3',
    'XSETID s 1-5',
    'XSETID s 1-5 ENTRIESADDED 0',
    'XSETID s 5 ENTRIESADDED 1',
    'XSETID s 5 ENTRIESADDED 2',
    'XSETID s 5 ENTRIESADDED 9223372036854775807 MAXDELETEDID 4',
    'XINFO STREAM s',
    'XSETID s 4 MAXDELETEDID 0-0',
    'XSETID s 4 MAXDELETEDID 1-0',
    'XSETID s 10 ENTRIESADDED 5 ENTRIESADDED 6',
    'XSETID s -',
    'XSETID s 10-*',
    'XINFO STREAM s',
    'XADD s 10-* f v',
  ])
})
