import t from 'tap'
import { allocate, isAllocationFailure } from '../../src/base/allocation.js'
import { ReplyError, replyErrors } from '../../src/base/errors.js'

t.test('memory that the system refuses is an answer for the client', async t => {
  t.equal(allocate(1000).length, 1000)
  t.throws(() => allocate(0xffff_fff0 * 4), RangeError, 'a size that no buffer has is a defect of the caller')
  const real = Buffer.allocUnsafeSlow
  t.teardown(() => (Buffer.allocUnsafeSlow = real))
  Buffer.allocUnsafeSlow = () => {
    throw new RangeError('Array buffer allocation failed')
  }
  t.throws(() => allocate(1000), new ReplyError(replyErrors.noMemory))
})

t.test('a failure to allocate is told from every other error', async t => {
  t.ok(isAllocationFailure(new RangeError('Array buffer allocation failed')))
  t.ok(isAllocationFailure(Object.assign(new Error('too long'), { code: 'ERR_STRING_TOO_LONG' })))
  try {
    t.fail('x'.repeat(2 ** 29).repeat(4))
  } catch (error) {
    t.ok(isAllocationFailure(error), String(error))
  }
  t.notOk(isAllocationFailure(new RangeError('The value of "offset" is out of range')))
  t.notOk(isAllocationFailure(new Error('Array buffer allocation failed')))
  t.notOk(isAllocationFailure('Array buffer allocation failed'))
})
