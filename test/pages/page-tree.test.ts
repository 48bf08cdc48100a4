// Loading, eviction, summaries and damaged rows: what the model test of ordered pages does not see.

import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { idOf, type StreamId } from '../../src/base/stream-id.js'
import { OrderedPages } from '../../src/pages/ordered-pages.js'
import { PAGE_KIND } from '../../src/pages/page.js'
import { recordCodec, type RecordPage } from '../../src/pages/record-page.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { StoreObject, Table } from '../../src/store/row.js'
import { seeded } from '../support/seeded.js'

const codec = { ...recordCodec({ kind: PAGE_KIND.groupPel, payloadBytes: 8, summaryAt: 0 }), bodyBytesMax: 10 * 24 }
type Tree = OrderedPages<StreamId, RecordPage>

/** A tree of `count` records with IDs 0, 1, … ms, each delivered at `deliveredMs(n)`. */
function build(rows: MemoryRows, count: number, deliveredMs: (n: number) => number): Tree {
  const tree: Tree = new OrderedPages(rows, new StoreObject(rows.newId()), codec, () => {})
  for (let n = 0; n < count; n++) {
    const node = tree.nodeForInsert(idOf(n))
    const page = tree.page(node)
    const index = page.insert(idOf(n))
    page.bytes.writeUIntBE(deliveredMs(n), page.payloadAt(index) + 2, 6)
    page.written(index)
    tree.changed(node)
  }
  return tree
}

function reopen(rows: MemoryRows, tree: Tree): Tree {
  while (rows.flushAndEvict() > 0);
  return new OrderedPages(rows, new StoreObject(rows.newId()), codec, () => {}, tree.encodeRoot())
}

t.test('opening a tree and counting in it reads descriptors, never pages', async t => {
  const rows = new MemoryRows()
  const tree = reopen(
    rows,
    build(rows, 5_000, () => 7),
  )
  const read: Table[] = []
  const spied = Object.create(rows, {
    read: { value: (table: Table, key: Buffer) => (read.push(table), rows.read(table, key)) },
  }) as MemoryRows
  const counted: Tree = new OrderedPages(spied, new StoreObject(rows.newId()), codec, () => {}, tree.encodeRoot())
  t.equal(counted.count, 5_000)
  t.same(read, [])
  t.equal(counted.at(4_321)?.index, 1)
  t.same(read, [Table.Blocks], 'at() needs the descriptors of one block')
  t.equal(counted.rank(idOf(4_325)), 4_325)
  t.same(read, [Table.Blocks, Table.Pages], 'rank() needs one page')
})

t.test('a node held while its block was evicted is still the node of its page', async t => {
  const rows = new MemoryRows()
  const tree = reopen(
    rows,
    build(rows, 3_000, () => 7),
  )
  const held = tree.at(1_500)!.node
  while (rows.flushAndEvict() > 0);
  t.equal(held.body!.block.body, undefined, 'the block was evicted')
  tree.willChange(held).removeRange(0, 1)
  tree.changed(held)
  t.equal(tree.nodeFor(idOf(1_501)), held)
  t.equal(tree.count, 2_999)
  t.equal(reopen(rows, tree).rank(idOf(2_000)), 1_999)
})

t.test('pages that may hold a summary at most the bound are found, and others skipped', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const rows = new MemoryRows()
  const delivered = Array.from({ length: 4_000 }, (_, n) => (random.chance(0.002) ? 5 : 1_000 + n))
  const tree = reopen(
    rows,
    build(rows, 4_000, n => delivered[n]),
  )
  const found = new Set<number>()
  let pagesSeen = 0
  let node = tree.nextWithSummaryAtMost(undefined, 5)
  for (; node !== undefined; node = tree.nextWithSummaryAtMost(node, 5)) {
    pagesSeen++
    const page = tree.page(node)
    for (let i = 0; i < page.count; i++) {
      const n = page.keyAt(i).msLo
      if (delivered[n] <= 5) found.add(n)
    }
  }
  const expected = delivered.flatMap((ms, n) => (ms <= 5 ? [n] : []))
  t.same([...found], expected)
  t.ok(pagesSeen <= expected.length, 'no page is visited for nothing')
})

t.test('a loose bound is tightened page by page, then block by block', async t => {
  const rows = new MemoryRows()
  const tree = build(rows, 4_000, n => (n === 101 || n === 102 ? 5 : 1_000))
  const { node, index } = tree.find(idOf(101))!
  tree.willChange(node).removeRange(index, index + 2)
  tree.changed(node)
  t.equal(tree.nextWithSummaryAtMost(undefined, 5), node, 'a removal leaves the bound as it was')
  tree.page(node).refreshSummary()
  tree.summaryRefreshed(node)
  t.equal(node.summary, 1_000)
  const { block } = node.body!
  t.equal(block.summaryMin, 5)
  t.equal(tree.nextWithSummaryAtMost(undefined, 5), undefined)
  t.equal(block.summaryMin, 1_000)
})

t.test('a damaged page is refused by name, and nothing has changed by then', async t => {
  const rows = new MemoryRows()
  const tree = reopen(
    rows,
    build(rows, 500, () => 7),
  )
  const node = tree.at(250)!.node
  const broken = rows.read(Table.Pages, node.rowKey())!
  broken[5] ^= 1
  rows.read = () => broken
  const { dirtyCount } = rows
  t.throws(() => tree.willChange(node), new CorruptionError(`${node.what} holds 65546 items where 10 are expected`))
  rows.read = () => undefined
  t.throws(() => tree.willChange(node), new CorruptionError(`${node.what} is missing`))
  t.equal(rows.dirtyCount, dirtyCount)
})

t.test('flipped bytes of pages, blocks and roots are refused or read as something consistent', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const rows = new MemoryRows()
  const tree = reopen(
    rows,
    build(rows, 2_000, n => n),
  )
  const root = tree.encodeRoot()
  const read = rows.read.bind(rows)
  let refused = 0
  for (let round = 0; round < 600; round++) {
    const target = random.pick([Table.Heads, Table.Blocks, Table.Pages])
    rows.read = (table, key) => {
      const value = read(table, key)
      return table === target && value !== undefined ? flipped(value, random) : value
    }
    try {
      const opened: Tree = new OrderedPages(
        rows,
        new StoreObject(rows.newId()),
        codec,
        () => {},
        target === Table.Heads ? flipped(root, random) : root,
      )
      readSome(opened)
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error
      refused++
    }
    while (rows.cache.evictAll() > 0);
  }
  t.ok(refused > 200, `${refused} of 600 were refused`)
})

function flipped(value: Buffer, random: { below(n: number): number }): Buffer {
  const copy = Buffer.from(value)
  copy[random.below(copy.length)] ^= 1 << random.below(8)
  return copy
}

function readSome(tree: Tree): void {
  for (let rank = 0; rank < tree.count; rank += 97) {
    const at = tree.at(rank)!
    const page = tree.page(at.node)
    if (page.count !== at.node.count) throw new Error('a page with another count than its descriptor')
    for (let i = 1; i < page.count; i++) {
      if (codec.compare(page.keyAt(i - 1), page.keyAt(i)) >= 0) throw new Error('a page out of order')
    }
  }
}

t.test('a tree moves between inline and blocks, leaving no row behind', async t => {
  const rows = new MemoryRows()
  const tree = build(rows, 80, () => 7)
  rows.flush()
  t.equal(tree.pageCount, 8)
  t.equal(rows.rowCount(Table.Blocks), 0)
  const more = reopen(rows, tree)
  more.page(more.nodeForInsert(idOf(80))).insert(idOf(80))
  more.changed(more.last()!)
  t.equal(more.pageCount, 9)
  rows.flush()
  t.equal(rows.rowCount(Table.Blocks), 1)
  const less = reopen(rows, more)
  while (less.pageCount > 4) less.removeNode(less.first()!)
  rows.flush()
  t.equal(rows.rowCount(Table.Blocks), 0)
  t.equal(rows.rowCount(Table.Pages), 4)
  const again = reopen(rows, less)
  t.equal(again.count, less.count)
  t.ok(again.find(idOf(80)))
})

t.test('a cleared tree goes on under another id, and its rows are dropped', async t => {
  const rows = new MemoryRows()
  const tree = build(rows, 2_000, () => 7)
  const before = tree.treeId
  rows.flush()
  tree.willChange(tree.first()!)
  tree.clear()
  t.equal(rows.cache.count, 0)
  t.equal(tree.count, 0)
  t.equal(tree.first(), undefined)
  t.not(tree.treeId, before)
  tree.page(tree.nodeForInsert(idOf(1))).insert(idOf(1))
  tree.changed(tree.last()!)
  rows.flush()
  t.equal(rows.rowCount(Table.Pages), 1)
  t.equal(reopen(rows, tree).count, 1)
})

t.test('release() takes a dropped tree out of the page cache', async t => {
  const rows = new MemoryRows()
  const tree = build(rows, 2_000, () => 7)
  t.ok(rows.cache.bytesUsed > 0)
  tree.release()
  t.equal(rows.cache.bytesUsed, 0)
  t.equal(rows.cache.count, 0)
})
