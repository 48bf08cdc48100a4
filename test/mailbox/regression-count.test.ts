// The count that must stay 0 does count.

import t from 'tap'
import { mailboxSeq } from '../../src/mailbox/mailbox-seq.js'
import { RegressionCount } from '../../src/mailbox/regression-count.js'

const at = (offset: number, epoch = 1) => mailboxSeq(epoch, offset)

t.test('standing still and going on are no regression', async t => {
  const count = new RegressionCount()
  for (const seq of [at(1), at(1), at(5), at(0, 2), at(3, 2)]) t.notOk(count.observe('lane', seq))
  t.equal(count.value, 0)
})

t.test('a step back is counted, each time, and apart for each lane', async t => {
  const count = new RegressionCount()
  count.observe('a', at(5))
  t.notOk(count.observe('b', at(1)))
  t.ok(count.observe('a', at(4)))
  t.ok(count.observe('a', at(4)))
  t.notOk(count.observe('a', at(5)))
  count.observe('a', at(0, 2))
  t.ok(count.observe('a', at(9, 1)))
  t.equal(count.value, 3)
})

t.test('a page ascends behind its cursor', async t => {
  const count = new RegressionCount()
  count.observePage(at(3), [at(4), at(4), at(7)])
  count.observePage(at(3), [])
  t.equal(count.value, 0)
  count.observePage(at(3), [at(3)])
  count.observePage(at(3), [at(5), at(4)])
  t.equal(count.value, 2)
})
