import t from 'tap'
import { commonSubsequence, commonSubsequenceBytes } from '../../../src/types/string/common-subsequence.js'

const of = (a: string, b: string) => {
  const { bytes, ranges } = commonSubsequence(Buffer.from(a), Buffer.from(b))
  return { text: bytes.toString(), ranges }
}

t.test('the subsequence and its runs, last first', async t => {
  t.same(of('ohmytext', 'mynewtext'), {
    text: 'mytext',
    ranges: [
      { aFrom: 4, aTo: 7, bFrom: 5, bTo: 8 },
      { aFrom: 2, aTo: 3, bFrom: 0, bTo: 1 },
    ],
  })
  t.same(of('abc', 'abc'), { text: 'abc', ranges: [{ aFrom: 0, aTo: 2, bFrom: 0, bTo: 2 }] })
})

t.test('nothing in common, or nothing at all', async t => {
  t.same(of('abc', 'xyz'), { text: '', ranges: [] })
  t.same(of('', 'xyz'), { text: '', ranges: [] })
  t.equal(commonSubsequenceBytes(3, 4), 80)
})
