// A slow, obvious model (a sorted array) checks OrderedPages over each codec, with the cache, the checkpoint and a
// restart coming in between at random.

import t, { type Test } from 'tap'
import { idOf, type StreamId } from '../../src/base/stream-id.js'
import { NODES_PER_BLOCK_MAX } from '../../src/pages/descriptor-block.js'
import { itemCodec, type ItemPage } from '../../src/pages/item-page.js'
import { OrderedPages, type PageNode } from '../../src/pages/ordered-pages.js'
import { PAGE_KIND, type Page, type PageCodec } from '../../src/pages/page.js'
import { recordCodec, type RecordPage } from '../../src/pages/record-page.js'
import { wireCodec, type WirePage } from '../../src/pages/wire-page.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { idKey, Row, StoreObject, Table } from '../../src/store/row.js'
import { seeded, type Seeded } from '../support/seeded.js'

/** How the test puts items, which are a whole number and a value, into pages of one codec. */
interface Driver<K, P extends Page<K>> {
  readonly name: string
  readonly codec: PageCodec<K, P>
  /** Stream pages take new entries at the end only. */
  readonly appendOnly: boolean
  readonly key: (n: number) => K
  readonly add: (page: P, n: number, value: number) => void
  readonly valueAt: (page: P, index: number) => number
  /** Bytes of items that a reply may hold, by reference. */
  readonly slice?: (page: P, from: number, to: number) => Buffer
}

function fieldsOf(value: number): Buffer {
  const text = String(value).padStart((value % 5) * 10 + 8, '0')
  return Buffer.from(`$1\r\nv\r\n$${text.length}\r\n${text}\r\n`)
}

const wire: Driver<StreamId, WirePage> = {
  name: 'wire pages',
  codec: { ...wireCodec, bodyBytesMax: 500 },
  appendOnly: true,
  key: n => idOf(1_700_000_000_000 + Math.floor(n / 3), n % 3),
  add: (page, n, value) => {
    const fields = fieldsOf(value)
    page.append(wire.key(n), 1, fields, 0, fields.length)
  },
  valueAt: (page, index) => Number(/(\d+)\r\n$/.exec(page.bytes.toString('latin1', 0, page.endOf(index)))?.[1]),
  slice: (page, from, to) => page.bytes.subarray(page.offsetOf(from), page.offsetOf(to)),
}

const pel: Driver<StreamId, RecordPage> = {
  name: 'record pages with a summary',
  codec: { ...recordCodec({ kind: PAGE_KIND.groupPel, payloadBytes: 20, summaryAt: 4 }), bodyBytesMax: 300 },
  appendOnly: false,
  key: wire.key,
  add: (page, n, value) => {
    const index = page.insert(pel.key(n))
    page.bytes.writeUIntBE(value, page.payloadAt(index) + 6, 6)
    page.written(index)
  },
  valueAt: (page, index) => page.bytes.readUIntBE(page.payloadAt(index) + 6, 6),
}

const ids: Driver<StreamId, RecordPage> = {
  name: 'record pages of IDs alone',
  codec: { ...recordCodec({ kind: PAGE_KIND.consumerPel, payloadBytes: 0 }), bodyBytesMax: 100 },
  appendOnly: false,
  key: wire.key,
  add: (page, n) => void page.insert(ids.key(n)),
  valueAt: () => 0,
}

const items: Driver<Buffer, ItemPage> = {
  name: 'item pages',
  codec: { ...itemCodec(), bodyBytesMax: 200 },
  appendOnly: false,
  key: n => Buffer.from(`key:${String(n).padStart(7, '0')}${'.'.repeat(n % 20)}`),
  add: (page, n, value) => void page.set(items.key(n), Buffer.from(String(value).padStart((value % 7) * 9, '0'))),
  valueAt: (page, index) => Number(page.valueAt(index)),
  slice: (page, from) => page.valueAt(from),
}

/** The row of the tree's owner: holds the root. */
class HeadRow extends Row {
  readonly table = Table.Heads
  root: () => Buffer = () => Buffer.alloc(0)
  constructor(readonly owner: StoreObject) {
    super()
  }
  rowKey(): Buffer {
    return idKey(this.owner.id)
  }
  encodeRow(): Buffer {
    return this.root()
  }
  rowBytes(): number {
    return 0
  }
}

interface Item {
  readonly n: number
  readonly value: number
}

class Bench<K, P extends Page<K>> {
  readonly rows: MemoryRows
  readonly owner: StoreObject
  head: HeadRow
  tree: OrderedPages<K, P>
  model: Item[] = []
  nextN = 0
  readonly handedOut: { slice: Buffer; copy: Buffer }[] = []

  constructor(
    readonly t: Test,
    readonly driver: Driver<K, P>,
    readonly random: Seeded,
    cacheBytesMax: number,
  ) {
    this.rows = new MemoryRows(cacheBytesMax)
    this.owner = new StoreObject(this.rows.newId())
    this.head = new HeadRow(this.owner)
    this.tree = this.#open(undefined)
  }

  add(n: number): void {
    const value = this.random.below(1_000_000)
    const key = this.driver.key(n)
    let node: PageNode<K, P> | undefined
    if (this.driver.appendOnly && n > (this.model.at(-1)?.n ?? -1) && this.random.chance(0.5)) {
      const last = this.tree.last()
      node = last === undefined || last.bodyBytes > 420 ? this.tree.appendNode(key) : last
    } else {
      node = this.tree.nodeForInsert(key)
    }
    this.driver.add(this.tree.willChange(node), n, value)
    this.tree.changed(node)
    const at = this.#modelIndex(n)
    this.model.splice(at, 0, { n, value: this.driver === (ids as unknown) ? 0 : value })
  }

  /** A number that is not in the model. */
  newN(): number {
    for (let attempt = 0; attempt < 5 && !this.driver.appendOnly && this.random.chance(0.8); attempt++) {
      const n = this.random.below(this.nextN + 1)
      if (this.model[this.#modelIndex(n)]?.n !== n) return n
    }
    return (this.nextN += this.random.between(1, 5))
  }

  remove(n: number): void {
    const found = this.tree.find(this.driver.key(n))
    if (found === undefined) throw new Error(`${n} is gone`)
    this.tree.willChange(found.node).removeRange(found.index, found.index + 1)
    this.tree.changed(found.node)
    this.model.splice(this.#modelIndex(n), 1)
  }

  /** Removes a run of items within the page of the item at `rank`. */
  removeRun(rank: number): void {
    const at = this.tree.at(rank)
    if (at === undefined) return
    const { node } = at
    const start = rank - at.index
    const from = this.random.chance(0.4) ? 0 : at.index
    const to = this.random.chance(0.4) ? node.count : this.random.between(from, node.count)
    this.tree.willChange(node).removeRange(from, to)
    this.tree.changed(node)
    this.model.splice(start + from, to - from)
  }

  removePage(rank: number): void {
    const at = this.tree.at(rank)
    if (at === undefined) return
    this.model.splice(rank - at.index, at.node.count)
    this.tree.removeNode(at.node)
    this.t.ok(at.node.removed)
  }

  hold(): void {
    const at = this.tree.at(this.random.below(this.model.length))
    if (at === undefined || this.driver.slice === undefined) return
    const page = this.tree.page(at.node)
    const slice = this.driver.slice(page, at.index, this.random.between(at.index, page.count))
    this.handedOut.push({ slice, copy: Buffer.from(slice) })
  }

  flush(evict: boolean): void {
    const known = new Set<Row>([this.head])
    for (let node = this.tree.first(); node !== undefined; node = this.tree.next(node)) {
      if (node.resident !== undefined) known.add(node)
      const { block } = node.body!
      if (!block.inline) known.add(block)
    }
    this.rows.verifyClean(known)
    if (!evict) return this.rows.flush()
    this.rows.flushAndEvict() // pages first; blocks only when none of their pages is resident
    this.rows.flushAndEvict()
    this.t.equal(this.rows.cache.bytesUsed, 0, 'everything was evicted')
  }

  /** What is stored, opened anew. */
  reload(): void {
    this.flush(true)
    this.#checkRowCounts()
    const root = this.rows.read(Table.Heads, this.head.rowKey())
    if (root === undefined) return
    this.head = new HeadRow(this.owner)
    this.tree = this.#open(root)
  }

  check(): void {
    const { t, tree, model, driver } = this
    t.equal(tree.count, model.length)
    const seen: Item[] = []
    let pages = 0
    let bodyBytes = 0
    let before: PageNode<K, P> | undefined
    for (let node = tree.first(); node !== undefined; before = node, node = tree.next(node)) {
      const page = tree.page(node)
      this.#checkNode(before, node, page, seen.length)
      pages++
      bodyBytes += node.bodyBytes
      for (let i = 0; i < page.count; i++) {
        const n = model[seen.length]?.n ?? -1
        if (driver.codec.compare(page.keyAt(i), driver.key(n)) !== 0) t.fail(`item ${seen.length} is not ${n}`)
        seen.push({ n, value: driver.valueAt(page, i) })
      }
    }
    t.same(seen, model)
    t.equal(tree.last(), before)
    t.equal(tree.pageCount, pages)
    t.equal(tree.bodyBytes, bodyBytes)
    for (let i = 0; i < 20; i++) this.#checkLookUps(this.random.below(this.nextN + 3))
    t.equal(tree.at(model.length), undefined)
    t.equal(tree.at(-1), undefined)
    for (const { slice, copy } of this.handedOut) if (!slice.equals(copy)) t.fail('bytes handed out have changed')
  }

  #checkNode(before: PageNode<K, P> | undefined, node: PageNode<K, P>, page: P, countBefore: number): void {
    const { t, tree } = this
    const { compare } = this.driver.codec
    if (page.count === 0) t.fail('an empty page')
    if (page.bodyBytes > this.driver.codec.bodyBytesMax && page.count > 1) t.fail('a page too large')
    if (compare(node.firstKey, page.keyAt(0)) > 0) t.fail('a separator above its page')
    if (tree.previous(node) !== before) t.fail('previous() is not the way back')
    if (tree.countBefore(node) !== countBefore) t.fail('countBefore() is wrong')
    if (before === undefined) return
    const page0 = tree.page(before)
    if (compare(page0.keyAt(page0.count - 1), node.firstKey) >= 0) t.fail('a separator not above the page before')
  }

  #checkLookUps(n: number): void {
    const { t, tree, model, driver } = this
    const key = driver.key(n)
    const at = this.#modelIndex(n)
    const present = model[at]?.n === n
    t.equal(tree.rank(key), at)
    t.equal(this.#rankOf(tree.seek(key)), at < model.length ? at : undefined, `seek ${n}`)
    const last = present ? at : at - 1
    t.equal(this.#rankOf(tree.seekLast(key)), last >= 0 ? last : undefined, `seekLast ${n}`)
    t.equal(this.#rankOf(tree.find(key)), present ? at : undefined, `find ${n}`)
    const other = this.random.below(this.nextN + 3)
    t.equal(tree.countBetween(key, driver.key(other)), Math.max(0, this.#modelIndex(other) - at))
    const rank = this.random.below(model.length)
    if (model.length > 0) t.equal(this.#rankOf(tree.at(rank)), rank)
  }

  #rankOf(position: { node: PageNode<K, P>; index: number } | undefined): number | undefined {
    if (position === undefined) return undefined
    if (position.index >= position.node.count) this.t.fail('a position past the end of its page')
    return this.tree.countBefore(position.node) + position.index
  }

  #checkRowCounts(): void {
    const blocks = new Set<Row>()
    for (let node = this.tree.first(); node !== undefined; node = this.tree.next(node)) blocks.add(node.body!.block)
    const inline = blocks.size === 1 && this.tree.first()!.body!.block.inline
    this.t.equal(this.rows.rowCount(Table.Pages), this.tree.pageCount, 'a row per page')
    this.t.equal(this.rows.rowCount(Table.Blocks), inline ? 0 : blocks.size, 'a row per block')
  }

  #modelIndex(n: number): number {
    let low = 0
    let high = this.model.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.model[middle].n < n) low = middle + 1
      else high = middle
    }
    return low
  }

  #open(root: Buffer | undefined): OrderedPages<K, P> {
    const { head, rows, driver } = this
    const tree = new OrderedPages<K, P>(rows, this.owner, driver.codec, () => rows.touch(head), root)
    head.root = () => tree.encodeRoot()
    return tree
  }
}

function runModel<K, P extends Page<K>>(t: Test, driver: Driver<K, P>, cacheBytesMax: number): void {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const bench = new Bench(t, driver, random, cacheBytesMax)
  let pagesMost = 0
  for (let step = 0; step < 60; step++) {
    const growing = step % 20 < 12
    for (let i = 0; i < 100; i++) {
      const removal = random.below(100)
      if (bench.model.length === 0 || random.chance(growing ? 0.9 : 0.2)) bench.add(bench.newN())
      else if (removal < 80) bench.remove(random.pick(bench.model).n)
      else if (removal < 96) bench.removeRun(random.below(bench.model.length))
      else bench.removePage(random.below(bench.model.length))
      if (bench.model.length > 0 && random.chance(0.02)) bench.hold()
      if (random.chance(0.01)) bench.flush(random.chance(0.5))
      if (random.chance(0.1)) bench.rows.cache.advance()
    }
    pagesMost = Math.max(pagesMost, bench.tree.pageCount)
    if (step % 20 === 19 && random.chance(0.5)) {
      bench.tree.clear()
      bench.model = []
    }
    if (random.chance(0.3)) bench.reload()
    if (step % 4 === 3) bench.check()
  }
  bench.reload()
  bench.check()
  t.ok(pagesMost > NODES_PER_BLOCK_MAX, 'the tree had several blocks')
}

for (const cacheBytesMax of [0, 20_000, 64 * 1024 * 1024]) {
  t.test(`a sorted array and ordered pages agree, cache of ${cacheBytesMax} bytes`, async t => {
    t.test(wire.name, async t => runModel(t, wire, cacheBytesMax))
    t.test(pel.name, async t => runModel(t, pel, cacheBytesMax))
    t.test(ids.name, async t => runModel(t, ids, cacheBytesMax))
    t.test(items.name, async t => runModel(t, items, cacheBytesMax))
  })
}

t.test('a tree that fills and empties again and again leaves no trail of removed rows', async t => {
  const rows = new MemoryRows()
  const touched = new Set<Row>()
  const touch = rows.touch.bind(rows)
  rows.touch = row => {
    touched.add(row)
    touch(row)
  }
  const tree = new OrderedPages(rows, new StoreObject(rows.newId()), pel.codec, () => undefined)
  for (let round = 0; round < 200; round++) {
    for (let n = 0; n < 30; n++) {
      const node = tree.nodeForInsert(pel.key(round * 30 + n))
      pel.add(tree.page(node), round * 30 + n, n + 1)
      tree.changed(node)
    }
    if (round % 50 === 10) rows.flushAndEvict()
    t.equal(pel.valueAt(tree.page(tree.last()!), tree.last()!.count - 1), 30)
    for (let node = tree.first(); node !== undefined; node = tree.first()) {
      tree.willChange(node).removeRange(0, node.count)
      tree.changed(node)
    }
    t.equal(tree.count, 0)
  }
  t.ok(touched.size < 20, `${touched.size} rows touched`)
})
