import t from 'tap'
import { InvariantError } from '../../src/base/assert.js'
import { CorruptionError } from '../../src/base/errors.js'
import { idOf } from '../../src/base/stream-id.js'
import { ByteReader } from '../../src/pages/byte-reader.js'
import { ByteWriter } from '../../src/pages/byte-writer.js'
import { PageNode, readDescriptor, writeDescriptor } from '../../src/pages/page-node.js'
import { decodePageRow } from '../../src/pages/page-row.js'
import { PAGE_KIND } from '../../src/pages/page.js'
import { recordCodec } from '../../src/pages/record-page.js'
import { wireCodec } from '../../src/pages/wire-page.js'
import { numberedKey, StoreObject, Table, TwoPieces } from '../../src/store/row.js'

const codec = recordCodec({ kind: PAGE_KIND.consumerPel, payloadBytes: 0 })
const tree = { id: 77, codec, owner: new StoreObject(1) }

function node(pageNo = 5) {
  const made = new PageNode(tree, pageNo, idOf(1_700_000_000_000, 2))
  Object.assign(made, { count: 300, bodyBytes: 4800, summary: 2 ** 40 })
  return made
}

t.test('a descriptor comes back as it was written', async t => {
  const writer = new ByteWriter(8)
  writeDescriptor(writer, node())
  writeDescriptor(writer, node(0xffffffff))
  const reader = new ByteReader(writer.done(), 'the block')
  const { firstKey } = node()
  t.match(readDescriptor(reader, tree), { pageNo: 5, count: 300, bodyBytes: 4800, summary: 2 ** 40, firstKey })
  t.equal(readDescriptor(reader, tree).pageNo, 0xffffffff)
  reader.end()
})

t.test('a descriptor of no page, or of an empty one, is refused', async t => {
  for (const wrong of [{ pageNo: 0 }, { pageNo: 2 ** 32 }, { count: 0 }]) {
    const writer = new ByteWriter(8)
    writeDescriptor(writer, Object.assign(node(), wrong))
    t.throws(() => readDescriptor(new ByteReader(writer.done(), 'the block'), tree), CorruptionError)
  }
})

t.test('its row is the page’s; only a clean page can be evicted', async t => {
  const page = codec.empty()
  page.insert(idOf(7))
  const made = node()
  t.throws(() => made.encodeRow(), InvariantError)
  made.resident = page
  t.equal(made.table, Table.Pages)
  t.same(made.rowKey(), numberedKey(77, 5))
  t.same(decodePageRow(made.encodeRow(), codec.kind, 1, made.what), page.encodeBody())
  made.dirtyEpoch = 3
  t.equal(made.evict(), false)
  t.equal(made.resident, page)
  made.dirtyEpoch = 0
  t.equal(made.evict(), true)
  t.equal(made.resident, undefined)
})

t.test('a stream page is handed out as it is, and as it was: whatever is done to the page later', async t => {
  const page = wireCodec.empty()
  const fields = Buffer.from('$1\r\nf\r\n$1\r\nv\r\n')
  const append = (ms: number) => page.append(idOf(ms), 1, fields, 0, fields.length)
  for (let ms = 1; ms <= 8; ms++) append(ms)
  const streamNode = new PageNode({ ...tree, codec: wireCodec }, 5, idOf(1))
  t.throws(() => streamNode.imageRow(), InvariantError)
  streamNode.resident = page
  const changes = {
    append: () => append(9),
    'fill its buffer and get another': () => Array.from({ length: 900 }, (_, i) => append(10 + i)),
    'lose its first entry': () => page.removeRange(0, 1),
    'lose one in the middle': () => page.removeRange(3, 4),
    'lose its last and get another': () => (page.removeRange(page.count - 1, page.count), append(2000)),
    'be split': () => page.splitOff(2),
  }
  for (const [what, change] of Object.entries(changes)) {
    const whole = streamNode.encodeRow()
    const image = streamNode.imageRow() as TwoPieces
    t.equal(image.body.buffer, page.bytes.buffer, 'nothing was copied')
    change()
    t.same(Buffer.concat([image.head, image.body]), whole, `it may ${what}`)
    t.notSame(streamNode.encodeRow(), whole)
  }
})
