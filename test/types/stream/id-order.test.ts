import t from 'tap'
import { formatId, idOf } from '../../../src/base/stream-id.js'
import type { StreamId } from '../../../src/base/stream-id.js'
import { ascending, eachOnce } from '../../../src/types/stream/id-order.js'

const ids = (...ms: number[]) => ms.map(one => idOf(one))
const text = (some: readonly StreamId[]) => some.map(formatId).join(' ')

t.test('IDs in order, each once; those that are so already are taken as they are', async t => {
  t.equal(text(ascending(ids(3, 1, 2, 3, 1))), '1-0 2-0 3-0')
  const sorted = ids(1, 2, 9)
  t.equal(ascending(sorted), sorted)
  t.same(ascending([]), [])
})

t.test('what is done to each once is told at the first of equal ones', async t => {
  const asked: string[] = []
  const even = (some: readonly StreamId[]) => {
    asked.push(text(some))
    return some.map(({ msLo }) => msLo % 2 === 0)
  }
  t.same(eachOnce(ids(4, 1, 4, 2, 2, 3), even), [true, false, false, true, false, false])
  t.same(eachOnce(ids(2, 3, 4), even), [true, false, true])
  t.same(eachOnce([], even), [])
  t.same(asked, ['1-0 2-0 3-0 4-0', '2-0 3-0 4-0', ''])
})
