// Cutting items off the front of a tree: what every trim comes down to.

import { assert } from '../../base/assert.js'
import type { OrderedPages } from '../../pages/ordered-pages.js'
import type { Page } from '../../pages/page.js'

/** Removes the first `count` items; whole pages without reading them, so that at most one page is read. */
export function dropFirstItems<K, P extends Page<K>>(tree: OrderedPages<K, P>, count: number): void {
  assert(count <= tree.count, 'more items to drop than there are')
  // The one page that is read is read before anything changes: it may turn out damaged.
  const cut = tree.at(count)
  if (cut !== undefined && cut.index > 0) tree.page(cut.node)
  let rest = count
  while (rest > 0) {
    const node = tree.first()
    assert(node !== undefined)
    if (node.count <= rest) {
      rest -= node.count
      tree.removeNode(node)
    } else {
      tree.willChange(node).removeRange(0, rest)
      tree.changed(node)
      rest = 0
    }
  }
}
