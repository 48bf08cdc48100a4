// Verifies a tree of pages against its own descriptors: every block and every page is read, and counts, lengths, order
// and summaries must agree, from the items up to the root. A damaged page or block is noted with what is lost with it,
// and the walk goes on behind it. Used by: types/, each value for its own trees (KeyValue.check).

import type { DescriptorBlock } from './descriptor-block.js'
import type { Inspection } from './inspection.js'
import { ascends } from './page.js'
import type { Page } from './page.js'
import type { PageNode } from './page-node.js'
import type { PageTree } from './page-tree.js'

export interface TreeCheck<K, P extends Page<K>> {
  /** What the items are, for messages: 'entries'. */
  readonly items: string
  /** A key in words; in hexadecimal digits when absent. */
  show?(key: K): string
  /** Looks into a page that is whole as far as the tree is concerned. */
  each?(page: P, node: PageNode<K, P>): void
}

/** True when all of the tree is whole. */
export function checkTree<K, P extends Page<K>>(
  tree: PageTree<K, P>,
  inspection: Inspection,
  check: TreeCheck<K, P>,
): boolean {
  return new TreeWalk(tree, inspection, check).run()
}

class TreeWalk<K, P extends Page<K>> {
  readonly #tree: PageTree<K, P>
  readonly #inspection: Inspection
  readonly #check: TreeCheck<K, P>
  #whole = true
  /** The last key met, and whether one was. */
  #last: K | undefined

  constructor(tree: PageTree<K, P>, inspection: Inspection, check: TreeCheck<K, P>) {
    this.#tree = tree
    this.#inspection = inspection
    this.#check = check
  }

  run(): boolean {
    const { blocks } = this.#tree
    const stored = blocks.filter(block => !block.inline).length
    this.#inspection.ownsTree(this.#tree.treeId, { pages: this.#tree.pageCount, blocks: stored })
    for (let i = 0; i < blocks.length; i++) this.#block(blocks[i], blocks[i + 1])
    return this.#whole
  }

  #block(block: DescriptorBlock<K, P>, next: DescriptorBlock<K, P> | undefined): void {
    let nodes: readonly PageNode<K, P>[] = []
    const lost = this.#lost(block.count, block.firstKey, next?.firstKey)
    if (!this.#inspection.attempt(() => (nodes = this.#tree.nodesOf(block)), lost)) {
      this.#whole = false
      return
    }
    const lowest = nodes.reduce((low, node) => Math.min(low, node.summary), Infinity)
    if (block.summaryMin > lowest) this.#found(`block ${block.number} of tree ${this.#tree.treeId} promises too much`)
    for (let i = 0; i < nodes.length; i++) this.#page(nodes[i], nodes[i + 1]?.firstKey ?? next?.firstKey)
  }

  #page(node: PageNode<K, P>, limit: K | undefined): void {
    const consequence = this.#lost(node.count, node.firstKey, limit)
    const read = this.#inspection.attempt(() => this.#whatIsIn(node, this.#tree.page(node), limit), consequence)
    this.#inspection.pageRead()
    if (!read) this.#whole = false
  }

  #whatIsIn(node: PageNode<K, P>, page: P, limit: K | undefined): void {
    const { codec } = this.#tree
    if (page.count !== node.count || page.bodyBytes !== node.bodyBytes) {
      this.#found(`${node.what} has ${page.count} items in ${page.bodyBytes} bytes, which its descriptor denies`)
    }
    if (node.summary > page.summary) {
      this.#found(`${node.what} has a record below the bound of its descriptor, ${node.summary}`)
    }
    if (codec.keyless !== true) this.#order(node, page, limit)
    this.#check.each?.(page, node)
  }

  #order(node: PageNode<K, P>, page: P, limit: K | undefined): void {
    const { codec } = this.#tree
    for (let i = 0; i < page.count; i++) {
      const key = page.keyAt(i)
      if (this.#last !== undefined && !ascends(codec, this.#last, key)) {
        return this.#found(`${node.what} is out of order at item ${i}`)
      }
      this.#last = key
    }
    if (codec.compare(page.keyAt(0), node.firstKey) < 0) this.#found(`${node.what} begins below its separator`)
    if (limit !== undefined && this.#last !== undefined && codec.compare(this.#last, limit) >= 0) {
      this.#found(`${node.what} reaches into the page behind it`)
    }
  }

  #found(what: string): void {
    this.#whole = false
    this.#inspection.found(what)
  }

  #lost(count: number, from: K, to: K | undefined): string {
    const { codec } = this.#tree
    const words = `; ${count} ${this.#check.items}`
    if (codec.keyless === true) return `${words} are lost`
    const show = (key: K) => this.#check.show?.(key) ?? codec.encodeKey(key).toString('hex')
    return `${words} from ${show(from)} ${to === undefined ? 'on' : `up to ${show(to)}`} are lost`
  }
}
