import t from 'tap'
import { compareIds, formatId } from '../../src/base/stream-id.js'
import type { StreamId } from '../../src/base/stream-id.js'
import { BlockList } from '../../src/pages/block-list.js'
import { BlockBody, DescriptorBlock } from '../../src/pages/descriptor-block.js'
import { itemCodec, type ItemPage } from '../../src/pages/item-page.js'
import { PageNode } from '../../src/pages/page-node.js'
import { recordCodec, type RecordPage } from '../../src/pages/record-page.js'
import { StoreObject } from '../../src/store/row.js'
import { seeded } from '../support/seeded.js'
import { probesOf, skewedLists } from '../support/skewed-ids.js'

t.test('sums over blocks are right after any sequence of changes', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const tree = { id: 1, codec: itemCodec(), owner: new StoreObject(1) }
  const list = new BlockList<Buffer, ItemPage>()
  let number = 1
  for (let step = 0; step < 2_000; step++) {
    const choice = random.below(10)
    const { length } = list.blocks
    if (choice === 0 || length === 0) {
      const block = new DescriptorBlock<Buffer, ItemPage>(tree, number++, Buffer.alloc(0))
      block.count = random.between(1, 9)
      list.insert(random.between(0, length), block)
    } else if (choice === 1 && length > 1) {
      list.remove(random.below(length))
    } else if (choice < 6) {
      const at = random.below(length)
      list.blocks[at].count = random.between(1, 9)
      list.countChanged(at)
    }
    const { blocks } = list
    const at = random.below(blocks.length)
    let before = 0
    for (let i = 0; i < at; i++) before += blocks[i].count
    if (list.countBefore(at) !== before) t.fail(`items before block ${at}`)
    if (list.indexAtRank(before + blocks[at].count - 1) !== at) t.fail(`block of the last item of block ${at}`)
    if (list.indexAtRank(before) !== at) t.fail(`block of the first item of block ${at}`)
    if (blocks[at].index !== at) t.fail(`index of block ${at}`)
  }
  list.clear()
  t.equal(list.countBefore(0), 0)
})

t.test('a key belongs to the last block that does not begin behind it', async t => {
  const tree = { id: 1, codec: itemCodec(), owner: new StoreObject(1) }
  const list = new BlockList<Buffer, ItemPage>()
  for (const key of ['b', 'd', 'f']) {
    list.insert(
      list.blocks.length,
      new DescriptorBlock<Buffer, ItemPage>(tree, list.blocks.length + 1, Buffer.from(key)),
    )
  }
  const indexes = [...'abcdefg'].map(key => list.indexFor(Buffer.from(key), tree.codec))
  t.same(indexes, [0, 0, 0, 1, 1, 2, 2])
})

t.test('blocks and pages are found however their keys are spread', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const codec = recordCodec({ kind: 1, payloadBytes: 0 })
  const tree = { id: 1, codec, owner: new StoreObject(1) }
  for (let round = 0; round < 20; round++) {
    for (const ids of skewedLists(random)) {
      const list = new BlockList<StreamId, RecordPage>()
      const body = new BlockBody(new DescriptorBlock<StreamId, RecordPage>(tree, 1, ids[0]))
      for (const [i, id] of ids.entries()) {
        list.insert(i, new DescriptorBlock<StreamId, RecordPage>(tree, i + 1, id))
        body.insert(i, new PageNode<StreamId, RecordPage>(tree, i + 1, id))
      }
      for (const id of probesOf(ids)) {
        const expected = Math.max(ids.filter(first => compareIds(first, id) <= 0).length - 1, 0)
        if (list.indexFor(id, codec) !== expected) t.equal(list.indexFor(id, codec), expected, formatId(id))
        if (body.nodeFor(id).index !== expected) t.equal(body.nodeFor(id).index, expected, formatId(id))
      }
    }
  }
})
