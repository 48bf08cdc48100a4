// The pages of a tree that can be read, in order; those that cannot, and what a damaged block describes, are passed
// over. For repair: store-check has told what is lost. Used by: types/, each value for its own trees (salvaged()).

import { unlessDamaged } from '../base/errors.js'
import type { Page } from './page.js'
import type { PageNode } from './page-node.js'
import type { PageTree } from './page-tree.js'

export function* wholePages<K, P extends Page<K>>(tree: PageTree<K, P>): Generator<P> {
  for (const block of tree.blocks) {
    const nodes: readonly PageNode<K, P>[] = unlessDamaged(() => tree.nodesOf(block), [])
    for (const node of nodes) {
      const page = unlessDamaged(() => tree.page(node), undefined)
      if (page !== undefined) yield page
    }
  }
}
