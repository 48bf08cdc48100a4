import t from 'tap'
import { idOf } from '../../../src/base/stream-id.js'
import { wireCodec } from '../../../src/pages/wire-page.js'
import { EntryRun } from '../../../src/types/stream/entry-run.js'

const FIELDS = Buffer.from('$1\r\nf\r\n$1\r\nv\r\n')

function pageOf(entries: number) {
  const page = wireCodec.empty()
  for (let n = 1; n <= entries; n++) page.append(idOf(n), 1, FIELDS, 0, FIELDS.length)
  return page
}

const entry = (n: number) => `*2\r\n$3\r\n${n}-0\r\n*2\r\n${FIELDS.toString()}`

t.test('a run is the bytes of its entries, whole, in part, or one by one', async t => {
  const run = new EntryRun(pageOf(5), 1, 3)
  const text = ({ bytes, from, to }: EntryRun) => bytes.toString('latin1', from, to)
  t.equal(text(run), [2, 3, 4].map(entry).join(''))
  t.same([run.firstId, run.lastId], [idOf(2), idOf(4)])
  t.equal(run.head(3), run)
  t.equal(text(run.head(2)), [2, 3].map(entry).join(''))
  t.same(
    [0, 1, 3].map(entries => run.bytesOf(entries)),
    [0, entry(2).length, text(run).length],
  )
  t.same([...run.singly()].map(text), [2, 3, 4].map(entry))
})
