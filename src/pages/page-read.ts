// From the row of a page to the page: checks header, count and length against the descriptor. Used by: page-tree,
// tree-snapshot.

import { CorruptionError } from '../base/errors.js'
import type { Page } from './page.js'
import type { PageNode } from './page-node.js'
import { decodePageRow } from './page-row.js'

/**
 * The page of `node` out of its row's value, whose bytes become the page's own.
 * @param count, bodyBytes what the descriptor says of it
 * @throws CorruptionError naming the page
 */
export function decodePageOf<K, P extends Page<K>>(
  node: PageNode<K, P>,
  value: Buffer | undefined,
  count: number,
  bodyBytes: number,
): P {
  const { codec } = node.tree
  const body = decodePageRow(value, codec.kind, count, node.what)
  if (body.length !== bodyBytes) {
    throw new CorruptionError(`${node.what} has ${body.length} bytes where ${bodyBytes} are expected`)
  }
  try {
    return codec.decode(body, count)
  } catch (error) {
    if (error instanceof CorruptionError) throw new CorruptionError(`${node.what}: ${error.message}`, { cause: error })
    throw error
  }
}
