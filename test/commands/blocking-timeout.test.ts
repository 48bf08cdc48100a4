import t from 'tap'
import { Args } from '../../src/commands/args.js'
import { takeTimeout } from '../../src/commands/blocking-timeout.js'
import { requestOf } from '../../src/resp/request.js'

const timeout = (text: string) => takeTimeout(new Args(requestOf(['CMD', text])))

t.test('seconds become whole milliseconds, rounded up', async t => {
  t.equal(timeout('0'), 0)
  t.equal(timeout('1.5'), 1500)
  t.equal(timeout('0.0001'), 1)
  t.ok(Object.is(timeout('-0.0001'), 0))
})

t.test('what is negative, or becomes so in 64 bits, is refused', async t => {
  for (const text of ['-1', '-inf', 'inf', '1e300'])
    t.throws(() => timeout(text), { message: 'ERR timeout is negative' })
  t.throws(() => timeout('x'), { message: 'ERR timeout is not a float or out of range' })
})
