import t from 'tap'
import { NodeLimitsJournal } from '../../src/exec/node-limits-journal.js'

t.test('the limits head the first record, and the next one after each time they are due', async t => {
  const values = { streamNodeMaxEntries: 100, streamNodeMaxBytes: 4096, streamIdmpDuration: 60, streamIdmpMaxsize: 50 }
  const journal = new NodeLimitsJournal(values)
  t.same(journal.take(), ['XNODELIMITS', 100, 4096, 60, 50])
  t.equal(journal.take(), undefined)
  values.streamNodeMaxEntries = 7
  t.equal(journal.take(), undefined)
  journal.makeDue()
  t.same(journal.take(), ['XNODELIMITS', 7, 4096, 60, 50], 'as they are then')
  t.equal(journal.take(), undefined)
})
