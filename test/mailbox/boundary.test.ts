// Boundaries as the registry stores them.

import t from 'tap'
import { formatSplit, parseBoundary, parseSplit } from '../../src/mailbox/boundary.js'
import { mailboxSeq } from '../../src/mailbox/mailbox-seq.js'

t.test('an epoch boundary is read', async t => {
  t.same(parseBoundary(3, 2, 'E3 1700000000000 1 0001000000000009 0002000000000000'), {
    shard: 3,
    epoch: 2,
    kind: 'E3',
    atMs: 1_700_000_000_000,
    previousEpoch: 1,
    previousEnd: mailboxSeq(1, 9),
    start: mailboxSeq(2, 0),
  })
})

t.test('an epoch in which nothing was whole has no end', async t => {
  t.equal(parseBoundary(3, 1, 'E1 5 0  0001000000000000').previousEnd, undefined)
})

t.test('a split is written and read', async t => {
  const split = { oldShard: 3, newShard: 4, lanes: [1, 63], splitAt: mailboxSeq(2, 10), newEpoch: 7, atMs: 5 }
  t.equal(formatSplit(split), '4 1,63 000200000000000a 7 5')
  t.same(parseSplit(3, formatSplit(split)), split)
})

t.test('what cannot be read is corruption, named', async t => {
  for (const words of ['', 'E5 1 1  0001000000000000', 'E1 1 1', 'E1 x 1  0001000000000000']) {
    t.throws(() => parseBoundary(3, 2, words), { code: 'CORRUPT_ENTRY', message: /shard 3.*epoch 2/ })
  }
  for (const words of ['', '4 1 000200000000000a 7', '4  000200000000000a 7 5', '4 1,, 000200000000000a 7 5']) {
    t.throws(() => parseSplit(3, words), { code: 'CORRUPT_ENTRY', message: /shard 3/ })
  }
})
