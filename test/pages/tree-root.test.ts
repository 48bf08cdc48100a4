// The bytes of the worked example in docs/format/pages.md, which are frozen.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { idOf, type StreamId } from '../../src/base/stream-id.js'
import { OrderedPages } from '../../src/pages/ordered-pages.js'
import { PAGE_KIND } from '../../src/pages/page.js'
import { recordCodec, type RecordPage } from '../../src/pages/record-page.js'
import { decodeRoot } from '../../src/pages/tree-root.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { StoreObject, Table } from '../../src/store/row.js'

const codec = { ...recordCodec({ kind: PAGE_KIND.consumerPel, payloadBytes: 0 }), bodyBytesMax: 32 }

/** The tree 2 of object 1 with the IDs 1-0, 2-0, … `count`-0, two to a page. */
function build(rows: MemoryRows, count: number): OrderedPages<StreamId, RecordPage> {
  const tree = new OrderedPages(rows, new StoreObject(rows.newId()), codec, () => {})
  for (let n = 1; n <= count; n++) {
    const node = tree.nodeForInsert(idOf(n))
    tree.page(node).insert(idOf(n))
    tree.changed(node)
  }
  return tree
}

const documented = readFileSync(new URL('../../docs/format/pages.md', import.meta.url), 'utf8')
  .split('```')
  .filter((_, i) => i % 2 === 1)
  .flatMap(text => text.split('\n'))
  .filter(line => /^[0-9a-f]{2}( [0-9a-f]{2})* {2}/.test(line))
  .map(line => line.slice(0, line.indexOf('  ')).replaceAll(' ', ''))
  .join('')

t.test('roots, blocks and pages have the bytes that the format page shows', async t => {
  const small = build(new MemoryRows(), 3).encodeRoot().toString('hex')
  const rows = new MemoryRows()
  const tree = build(rows, 18)
  const large = tree.encodeRoot().toString('hex')
  rows.flush()
  const block = rows.read(Table.Blocks, tree.first()!.body!.block.rowKey())!.toString('hex')
  const page = rows.read(Table.Pages, tree.first()!.rowKey())!.toString('hex')
  const descriptors = block.slice(0, 2 * (12 + 2 * 21))
  t.equal(documented, small + page + large + descriptors)
})

t.test('a root is opened by its codec only, and whole', async t => {
  const root = build(new MemoryRows(), 18).encodeRoot()
  const owner = new StoreObject(1)
  t.equal(decodeRoot(root, codec, owner).blocks[0].count, 18)
  t.throws(
    () => decodeRoot(root, { ...codec, kind: 1 }, owner),
    new CorruptionError('a tree root of object 1 has pages of kind 3, not 1'),
  )
  for (let length = 0; length < root.length; length++) {
    t.throws(() => decodeRoot(root.subarray(0, length), codec, owner), CorruptionError)
  }
  t.throws(() => decodeRoot(Buffer.concat([root, Buffer.of(0)]), codec, owner), CorruptionError)
})

t.test('an empty tree keeps its id and its numbers', async t => {
  const tree = build(new MemoryRows(), 3)
  while (tree.first() !== undefined) tree.removeNode(tree.first()!)
  const root = decodeRoot(tree.encodeRoot(), codec, new StoreObject(1))
  t.equal(root.tree.id, tree.treeId)
  t.equal(root.nextPageNo, 3)
  t.same(root.blocks, [])
})
