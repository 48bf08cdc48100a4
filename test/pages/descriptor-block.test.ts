import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { idOf } from '../../src/base/stream-id.js'
import type { StreamId } from '../../src/base/stream-id.js'
import { BlockBody, DescriptorBlock } from '../../src/pages/descriptor-block.js'
import { PageNode } from '../../src/pages/page-node.js'
import { PAGE_KIND } from '../../src/pages/page.js'
import { recordCodec } from '../../src/pages/record-page.js'
import type { RecordPage } from '../../src/pages/record-page.js'
import { StoreObject } from '../../src/store/row.js'

const codec = recordCodec({ kind: PAGE_KIND.consumerPel, payloadBytes: 0 })
const tree = { id: 77, codec, owner: new StoreObject(1) }

/** A block whose page i begins with ID i*10 and has so many items. */
function block(...counts: number[]): DescriptorBlock<StreamId, RecordPage> {
  const made = new DescriptorBlock<StreamId, RecordPage>(tree, 3, idOf(10))
  const body = new BlockBody(made)
  for (const [i, count] of counts.entries()) {
    const node = new PageNode<StreamId, RecordPage>(tree, i + 1, idOf((i + 1) * 10))
    Object.assign(node, { count, bodyBytes: count * 16 })
    body.insert(i, node)
    made.nodeCount++
    made.count += count
    made.bodyBytes += count * 16
  }
  made.body = body
  return made
}

const pageNumbers = (body: BlockBody<StreamId, RecordPage>) => body.nodes.map(node => node.pageNo)

t.test('nodes know their place through inserts, removals and moves', async t => {
  const body = block(5, 6, 7, 8).body!
  t.equal(body.countBefore(3), 18)
  const extra = new PageNode<StreamId, RecordPage>(tree, 9, idOf(15))
  extra.count = 100
  body.insert(1, extra)
  t.same(pageNumbers(body), [1, 9, 2, 3, 4])
  body.remove(2)
  t.same(
    body.nodes.map(node => node.index),
    [0, 1, 2, 3],
  )
  t.equal(body.countBefore(4), 5 + 100 + 7 + 8)
  const target = block(1).body!
  body.moveTo(target, 2)
  t.same(
    [pageNumbers(body), pageNumbers(target)],
    [
      [1, 9],
      [1, 3, 4],
    ],
  )
  t.ok(target.nodes.every((node, index) => node.index === index && node.body === target))
  t.equal(target.countBefore(3), 1 + 7 + 8)
})

t.test('a block comes back from its row as it was', async t => {
  const made = block(5, 6, 7)
  const body = made.decodeRow(made.encodeRow())
  t.same(
    body.nodes.map(({ pageNo, count, firstKey }) => ({ pageNo, count, firstKey })),
    made.body!.nodes.map(({ pageNo, count, firstKey }) => ({ pageNo, count, firstKey })),
  )
})

t.test('a row that contradicts the root, or itself, is refused by name', async t => {
  const made = block(5, 6, 7)
  const row = made.encodeRow()
  const refused = { name: 'CorruptionError', message: /descriptor block 3 of tree 77/ }
  for (const change of [{ count: 17 }, { bodyBytes: 1 }, { nodeCount: 2 }, { nodeCount: 4 }, { firstKey: idOf(9) }]) {
    t.throws(() => Object.assign(block(5, 6, 7), change as object).decodeRow(row), refused, JSON.stringify(change))
  }
  t.throws(() => made.decodeRow(undefined), CorruptionError)
  t.throws(() => made.decodeRow(row.subarray(0, row.length - 1)), CorruptionError)
  made.body!.nodes[2].firstKey = idOf(20)
  t.throws(() => block(5, 6, 7).decodeRow(made.encodeRow()), /out of order/)
})

t.test(
  'a block is evicted when it is clean and none of its pages is resident; who holds a node keeps its body',
  async t => {
    const made = block(5, 6)
    const body = made.body!
    made.dirtyEpoch = 1
    t.equal(made.evict(), false)
    made.dirtyEpoch = 0
    body.nodes[1].resident = codec.empty()
    t.equal(made.evict(), false)
    body.nodes[1].resident = undefined
    t.equal(made.evict(), true)
    t.equal(made.body, undefined)
    t.equal(made.evict(), false)
    t.equal(made.revived(), body)
    t.equal(made.revived(), undefined, 'once')
  },
)

t.test('one node answers as many do, before others come and after they have gone', async t => {
  const body = block(5).body!
  const answers = () => ({
    before: [body.countBefore(0), body.countBefore(1)],
    place: [body.placeOf(0), body.placeOf(body.countBefore(1) - 1)],
    bounds: [7, 8].map(bound => body.firstWithSummaryAtMost(0, bound)?.pageNo),
    behind: body.firstWithSummaryAtMost(1, 8),
  })
  body.setCount(0, 6)
  body.setSummary(0, 8)
  const alone = answers()
  const first = { at: 0, index: 0 }
  t.same(alone, {
    before: [0, 6],
    place: [first, { at: 0, index: 5 }],
    bounds: [undefined, 1],
    behind: undefined,
  })
  const second = new PageNode<StreamId, RecordPage>(tree, 2, idOf(20))
  Object.assign(second, { count: 3, summary: 7 })
  body.insert(1, second)
  t.equal(body.countBefore(2), 9, 'what the first one had by itself counts on')
  t.same(body.placeOf(6), { at: 1, index: 0 })
  t.same([body.firstWithSummaryAtMost(0, 7), body.firstWithSummaryAtMost(0, 8)], [second, body.nodes[0]])
  t.equal(body.nodeFor(idOf(20)), second)
  body.remove(1)
  t.same(answers(), alone)
  body.setCount(0, 4)
  t.same([body.countBefore(1), body.nodes[0].count], [4, 4])
})
