import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { itemCodec } from '../../src/pages/item-page.js'
import { PageNode } from '../../src/pages/page-node.js'
import { decodePageOf } from '../../src/pages/page-read.js'
import { encodePageRow } from '../../src/pages/page-row.js'
import { StoreObject } from '../../src/store/row.js'

const codec = itemCodec()
const node = new PageNode({ id: 7, codec, owner: new StoreObject(7) }, 3, Buffer.from('a'))
const page = codec.empty()
page.set(Buffer.from('a'), Buffer.from('v'))
const row = encodePageRow(codec.kind, 1, page.encodeBody())

t.test('a page is read from its row when the row is what the descriptor says', t => {
  const read = decodePageOf(node, row, 1, page.bodyBytes)
  t.equal(read.valueAt(0).toString(), 'v')
  t.end()
})

t.test('a row that is not what the descriptor says is refused with the name of the page', t => {
  const name = /page 3 of tree 7/
  t.throws(() => decodePageOf(node, undefined, 1, page.bodyBytes), { message: name })
  t.throws(() => decodePageOf(node, row, 2, page.bodyBytes), { message: name })
  t.throws(() => decodePageOf(node, row, 1, page.bodyBytes + 1), { message: name })
  const wrong = encodePageRow(codec.kind, 1, Buffer.from([9, 9, 9, 9]))
  t.throws(() => decodePageOf(node, wrong, 1, 4), { message: name })
  t.throws(() => decodePageOf(node, wrong, 1, 4), CorruptionError)
  t.end()
})
