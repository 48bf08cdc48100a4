// IDs, intervals and lists of IDs as arguments.

import t from 'tap'
import { ReplyError } from '../../src/base/errors.js'
import { formatId } from '../../src/base/stream-id.js'
import { Args } from '../../src/commands/args.js'
import {
  attempt,
  COUNT_ALL,
  endAt,
  granted,
  idAt,
  rangeIdAt,
  startAt,
  takeCount,
  takeIds,
} from '../../src/commands/stream-arguments.js'
import { requestOf } from '../../src/resp/request.js'

const INVALID = { message: 'ERR Invalid stream ID specified as stream command argument' }
const argsOf = (...words: string[]) => new Args(requestOf(['X', ...words]))

t.test('an ID is two numbers or one; signs of a range are none', async t => {
  const text = (word: string) => {
    const id = idAt(requestOf([word]), 0)
    return id && formatId(id)
  }
  t.equal(text('5-7'), '5-7')
  t.equal(text('5'), '5-0')
  for (const word of ['-', '+', '(5-7', '5-', '*', '5-*', '']) t.equal(text(word), undefined, word)
})

t.test('ends of an interval complete a missing sequence and step over what is exclusive', async t => {
  const start = (word: string) => formatId(startAt(requestOf([word]), 0))
  const end = (word: string) => formatId(endAt(requestOf([word]), 0))
  const top = '18446744073709551615'
  t.equal(start('5'), '5-0')
  t.equal(start('(5-7'), '5-8')
  t.equal(start('-'), '0-0')
  t.equal(end('5'), `5-${top}`)
  t.equal(end('(5-7'), '5-6')
  t.equal(end('+'), `${top}-${top}`)
  t.throws(() => start(`(${top}-${top}`), { message: 'ERR invalid start ID for the interval' })
  t.throws(() => end('(0-0'), { message: 'ERR invalid end ID for the interval' })
  for (const word of ['(', '(-', '(+', 'x']) t.throws(() => start(word), INVALID, word)
  t.equal(formatId(rangeIdAt(requestOf(['-']), 0, 0)), '0-0')
})

t.test('a malformed ID in a list can wait until the key was looked at', async t => {
  const fine = granted(attempt(argsOf('1-1', '2'), takeIds))
  t.same(fine.map(formatId), ['1-1', '2-0'])
  const result = attempt(argsOf('1-1', 'x'), takeIds)
  t.ok(result instanceof ReplyError)
  t.throws(() => granted(result), INVALID)
  t.throws(
    () =>
      attempt(argsOf('1'), () => {
        throw new RangeError('ours')
      }),
    RangeError,
    'a failure of ours does not wait',
  )
})

t.test('a COUNT is never negative and never beyond what a number holds', async t => {
  t.equal(takeCount(argsOf('-3')), 0)
  t.equal(takeCount(argsOf('7')), 7)
  t.equal(takeCount(argsOf('9223372036854775807')), COUNT_ALL)
  t.throws(() => takeCount(argsOf('x')), { message: 'ERR value is not an integer or out of range' })
})
