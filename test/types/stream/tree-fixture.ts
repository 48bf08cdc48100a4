// Trees of IDs in small pages, for tests of what is done to whole trees.

import { compareIds, formatId, idOf } from '../../../src/base/stream-id.js'
import type { StreamId } from '../../../src/base/stream-id.js'
import { OrderedPages } from '../../../src/pages/ordered-pages.js'
import type { RecordPage } from '../../../src/pages/record-page.js'
import type { MemoryRows } from '../../../src/store/memory-rows.js'
import { StoreObject } from '../../../src/store/row.js'
import { ownedCodec } from '../../../src/types/stream/pel-record.js'

export type IdTree = OrderedPages<StreamId, RecordPage>
/** Some 50 IDs a page. */
export const codec = { ...ownedCodec, bodyBytesMax: 800 }

export function emptyTree(rows: MemoryRows): IdTree {
  return new OrderedPages(rows, new StoreObject(rows.newId()), codec, () => undefined)
}

/** IDs 1-0 to items-0. */
export function filledTree(rows: MemoryRows, items: number): IdTree {
  const tree = emptyTree(rows)
  for (let ms = 1; ms <= items; ms++) {
    const node = tree.nodeForInsert(idOf(ms))
    tree.willChange(node).insert(idOf(ms))
    tree.changed(node)
  }
  return tree
}

/** The milliseconds of all IDs, as the pages have them; undefined when they are out of order. */
export function numbersIn(tree: IdTree): number[] | undefined {
  const ids: StreamId[] = []
  for (let node = tree.first(); node !== undefined; node = tree.next(node)) {
    const page = tree.page(node)
    for (let i = 0; i < page.count; i++) ids.push(page.keyAt(i))
  }
  if (ids.some((id, i) => i > 0 && compareIds(ids[i - 1], id) >= 0)) return undefined
  return ids.map(id => Number.parseInt(formatId(id)))
}
