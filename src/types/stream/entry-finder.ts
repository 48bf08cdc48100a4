// Looks up entries whose IDs come in the order of a PEL: what was delivered side by side lies side by side in the
// stream, so the next one asked for is mostly the next one there, and no tree is searched. Used by: entries, pel-look.
// Uses: entry-run. The stream must not change while one is in use.

import { assert } from '../../base/assert.js'
import { getId } from '../../base/stream-id.js'
import type { StreamId } from '../../base/stream-id.js'
import type { PageTree } from '../../pages/page-tree.js'
import type { WirePage } from '../../pages/wire-page.js'
import { EntryRun } from './entry-run.js'

export class EntryFinder {
  readonly #tree: PageTree<StreamId, WirePage>
  #page: WirePage | undefined
  /** Index behind the entry that was found last. */
  #next = 0

  constructor(tree: PageTree<StreamId, WirePage>) {
    this.#tree = tree
  }

  /** Whether there is an entry with the ID that lies encoded in `bytes` at `at`. */
  has(bytes: Uint8Array, at: number): boolean {
    const page = this.#page
    if (page !== undefined && this.#next < page.count && page.index().isAt(this.#next, bytes, at)) {
      this.#next++
      return true
    }
    const position = this.#tree.find(getId(bytes, at))
    if (position === undefined) return false
    this.#page = this.#tree.page(position.node)
    this.#next = position.index + 1
    return true
  }

  /** The entry that has() found last; it must have found one. */
  found(): EntryRun {
    assert(this.#page !== undefined, 'an entry was found')
    return new EntryRun(this.#page, this.#next - 1, 1)
  }
}
