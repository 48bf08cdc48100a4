import t from 'tap'
import { ReplyError } from '../../src/base/errors.js'
import { formatId } from '../../src/base/stream-id.js'
import { Args } from '../../src/commands/args.js'
import { idsOfBlock, takeIdBlock, takePolicy } from '../../src/commands/stream-reference-policy.js'
import { requestOf } from '../../src/resp/request.js'

const argsOf = (text: string) => new Args(requestOf(['X', ...text.split(' ')]))
const ERRORS = { notPositive: 'ERR too few', mismatch: 'ERR too many' }

t.test('the three words, in any case', async t => {
  t.equal(takePolicy(argsOf('KEEPREF')), 'keep')
  t.equal(takePolicy(argsOf('DelRef')), 'drop')
  t.equal(takePolicy(argsOf('acked')), 'acked')
  const a = argsOf('other')
  t.equal(takePolicy(a), undefined)
  t.equal(a.remaining, 1, 'another word is left')
})

t.test('a block of IDs ends where its number says', async t => {
  const a = argsOf('2 1-0 5 MORE')
  const block = takeIdBlock(a, ERRORS)
  t.equal(a.text(), 'MORE')
  t.same(idsOfBlock(a, block).map(formatId), ['1-0', '5-0'])
  for (const text of ['0 1-0', '-1 1-0', 'x 1-0', '9223372036854775807 1-0'])
    t.throws(() => takeIdBlock(argsOf(text), ERRORS), { message: 'ERR too few' })
  for (const text of ['2 1-0', '2147483647 1-0']) {
    t.throws(() => takeIdBlock(argsOf(text), ERRORS), { message: 'ERR too many' })
  }
  const bad = argsOf('2 1-0 x')
  const badBlock = takeIdBlock(bad, ERRORS)
  t.throws(() => idsOfBlock(bad, badBlock), ReplyError)
})
