import t from 'tap'
import { Args } from '../../src/commands/args.js'
import { parseNameRange, parseRankRange, parseScoreRange } from '../../src/commands/zset-bounds.js'
import type { MemberRange } from '../../src/commands/zset-bounds.js'
import { requestOf } from '../../src/resp/request.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { ZsetValue } from '../../src/types/zset/zset-value.js'

const LIMITS = { entriesMax: 128, memberBytesMax: 64 }
const byScore = ZsetValue.create(new MemoryRows())
for (const [i, member] of ['a', 'b', 'c', 'd', 'e'].entries()) byScore.set(member, i, undefined, LIMITS)
const byName = ZsetValue.create(new MemoryRows())
for (const member of ['a', 'b', 'c', 'd', 'e']) byName.set(member, 0, undefined, LIMITS)

type Parse = (args: Args, isDescending?: boolean) => MemberRange

/** The members a range means. */
function chosen(zset: ZsetValue, parse: Parse, first: string, second: string, isDescending = false): string {
  const { from, to } = parse(new Args(requestOf(['CMD', first, second])), isDescending).windowIn(zset)
  let members = ''
  if (from < to) zset.each(member => void (members += member), from, to)
  return members
}

t.test('ranks count from either end', async t => {
  t.equal(chosen(byScore, parseRankRange, '0', '-1'), 'abcde')
  t.equal(chosen(byScore, parseRankRange, '1', '2'), 'bc')
  t.equal(chosen(byScore, parseRankRange, '1', '2', true), 'cd')
  t.equal(chosen(byScore, parseRankRange, '-2', '-1', true), 'ab')
  t.equal(chosen(byScore, parseRankRange, '-99', '99'), 'abcde')
  t.equal(chosen(byScore, parseRankRange, '3', '1'), '')
  t.equal(chosen(byScore, parseRankRange, '7', '9'), '')
  t.equal(chosen(byScore, parseRankRange, '9', '7', true), '')
})

t.test('scores have open and closed ends', async t => {
  t.equal(chosen(byScore, parseScoreRange, '1', '3'), 'bcd')
  t.equal(chosen(byScore, parseScoreRange, '(1', '(3'), 'c')
  t.equal(chosen(byScore, parseScoreRange, '3', '1', true), 'bcd')
  t.equal(chosen(byScore, parseScoreRange, '-inf', '+inf'), 'abcde')
  t.equal(chosen(byScore, parseScoreRange, '(2', '(2'), '')
  t.equal(chosen(byScore, parseScoreRange, '', '1'), 'ab')
  t.throws(() => chosen(byScore, parseScoreRange, 'x', '1'), { message: 'ERR min or max is not a float' })
})

t.test('names have open, closed and infinite ends', async t => {
  t.equal(chosen(byName, parseNameRange, '-', '+'), 'abcde')
  t.equal(chosen(byName, parseNameRange, '[b', '(d'), 'bc')
  t.equal(chosen(byName, parseNameRange, '(d', '[b', true), 'bc')
  t.equal(chosen(byName, parseNameRange, '(bb', '[z'), 'cde')
  t.equal(chosen(byName, parseNameRange, '+', '-'), '')
  t.throws(() => chosen(byName, parseNameRange, 'b', '+'), { message: 'ERR min or max not valid string range item' })
})
