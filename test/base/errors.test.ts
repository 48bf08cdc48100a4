import t from 'tap'
import { CorruptionError, quoting, ReplyError, UsageError } from '../../src/base/errors.js'

t.test('a client’s words end at their first NUL, the text goes on', async t => {
  const word = 'key\0secret'
  t.equal(quoting`No such key '${word}' or group '${'g'}'`, "No such key 'key' or group 'g'")
  t.equal(quoting`${'\0'}`, '')
})

t.test('a client’s mistake costs no stack, and does not take those of others', async t => {
  t.notMatch(new ReplyError('ERR x').stack, /\n +at /)
  t.match(new CorruptionError('damaged').stack, /\n +at /)
})

t.test('the kinds of failure are told apart', async t => {
  t.notOk(new ReplyError('ERR x') instanceof CorruptionError)
  t.same(
    [new ReplyError('a'), new CorruptionError('b'), new UsageError('c')].map(({ name }) => name),
    ['ReplyError', 'CorruptionError', 'UsageError'],
  )
})
