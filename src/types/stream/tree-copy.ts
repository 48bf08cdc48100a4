// Copying a tree page by page, for COPY.

import type { OrderedPages } from '../../pages/ordered-pages.js'
import type { Page, PageCodec } from '../../pages/page.js'

/** Fills `target`, an empty tree, with copies of the pages of `source`. */
export function copyPages<K, P extends Page<K>>(
  codec: PageCodec<K, P>,
  source: OrderedPages<K, P>,
  target: OrderedPages<K, P>,
): void {
  for (let node = source.first(); node !== undefined; node = source.next(node)) {
    const page = source.page(node)
    const copy = target.appendNode(page.keyAt(0))
    target.willChange(copy).absorb(codec.decode(Buffer.from(page.encodeBody()), page.count))
    target.changed(copy)
  }
}
