// MAXLEN and MINID clauses, and the form in which an approximate one is journaled.

import t from 'tap'
import { Args } from '../../src/commands/args.js'
import { exactTrimOptions, TrimClause } from '../../src/commands/stream-trim-clause.js'
import { requestOf } from '../../src/resp/request.js'

const LIMITS = { entriesMax: 100, bytesMax: 4096 }

function clauseOf(...words: string[]): TrimClause {
  const a = new Args(requestOf(['XTRIM', 'key', ...words]), 2)
  const clause = new TrimClause()
  while (a.remaining > 0) if (!clause.take(a)) a.end()
  clause.check(true)
  return clause
}

t.test('a clause says how much stays', async t => {
  t.same(clauseOf('MAXLEN', '7').trim(LIMITS), { by: 'maxlen', length: 7, approximate: false, limit: 0 })
  t.same(clauseOf('maxlen', '=', '7').trim(LIMITS), { by: 'maxlen', length: 7, approximate: false, limit: 0 })
  const id = { msHi: 0, msLo: 7, seqHi: 0, seqLo: 1 }
  t.same(clauseOf('LIMIT', '3', 'MINID', '~', '7-1').trim(LIMITS), { by: 'minid', id, approximate: true, limit: 3 })
})

t.test('an approximate clause without LIMIT is bounded by the size of nodes', async t => {
  const limitWith = (entriesMax: number) => clauseOf('MAXLEN', '~', '7').trim({ entriesMax, bytesMax: 0 }).limit
  t.equal(limitWith(100), 10_000)
  t.equal(limitWith(0), 10_000)
  t.equal(limitWith(50_000), 1_000_000)
  t.equal(clauseOf('MAXLEN', '~', '7', 'LIMIT', '0').trim(LIMITS).limit, 0, 'LIMIT 0 is no bound')
})

t.test('contradictions are refused with the words of Redis', async t => {
  const refused = (words: string, message: string) => t.throws(() => clauseOf(...words.split(' ')), { message }, words)
  refused('MAXLEN -1', 'ERR The MAXLEN argument must be >= 0.')
  refused('MAXLEN ~ 1 LIMIT -1', 'ERR The LIMIT argument must be >= 0.')
  refused('MAXLEN 1 LIMIT 1', 'ERR syntax error, LIMIT cannot be used without the special ~ option')
  refused('LIMIT 1', 'ERR syntax error, LIMIT cannot be used without specifying a trimming strategy')
  refused('LIMIT 0', 'ERR syntax error, XTRIM must be called with a trimming strategy')
  refused('MAXLEN 1 MINID 1', 'ERR syntax error, MAXLEN and MINID options at the same time are not compatible')
})

t.test('what is journaled has as many arguments and removes exactly what was removed', async t => {
  const exact = (...words: string[]) => {
    const request = requestOf(['XADD', 'key', ...words, '*', 'f', 'v'])
    return exactTrimOptions(request, 2, 2 + words.length, 90).join(' ')
  }
  t.equal(exact('MAXLEN', '~', '100'), 'MAXLEN = 90')
  t.equal(exact('minid', '~', '5-5'), 'MAXLEN = 90')
  t.equal(exact('NOMKSTREAM', 'MAXLEN', '~', '100'), 'NOMKSTREAM MAXLEN = 90')
  t.equal(exact('LIMIT', '5', 'NOMKSTREAM', 'MINID', '~', '5-5'), 'LIMIT 0 NOMKSTREAM MAXLEN ~ 90')
})
