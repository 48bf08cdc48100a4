import t from 'tap'
import { assert, InvariantError } from '../../src/base/assert.js'

t.test('a broken invariant is thrown with what it says; one that holds is nothing', async t => {
  assert(1, 'holds')
  for (const broken of [false, 0, '', undefined, null]) {
    t.throws(() => assert(broken, 'pending >= 0'), new InvariantError('pending >= 0'))
  }
})
