// A read of many items of a collection that goes on after its command, a page at a time: the items are those of the
// moment it was begun. Made by the values (`longRead`); what a page's items are to a reader is said by a visitor of the
// type. Used by: commands/long-reply.

import type { Page } from '../pages/page.js'
import type { TreeSnapshot } from '../pages/tree-snapshot.js'

export interface LongRead<V> {
  /** What must be waited for before next(); undefined when it can be called now. */
  fetch(): Promise<void> | undefined
  /** Shows the items of one page to `visit`; false when there is none left. @throws CorruptionError */
  next(visit: V): boolean
  /** Bytes of changed pages that are held. */
  readonly pinnedBytes: number
  close(): void
}

/** Shows items [from, to) of a page to a visitor. */
export type ShowItems<P, V> = (page: P, from: number, to: number, visit: V) => void

export class TreeRead<K, P extends Page<K>, V> implements LongRead<V> {
  readonly #snapshot: TreeSnapshot<K, P>
  readonly #show: ShowItems<P, V>

  constructor(snapshot: TreeSnapshot<K, P>, show: ShowItems<P, V>) {
    this.#snapshot = snapshot
    this.#show = show
  }

  get pinnedBytes(): number {
    return this.#snapshot.pinnedBytes
  }

  fetch(): Promise<void> | undefined {
    return this.#snapshot.fetch()
  }

  next(visit: V): boolean {
    const span = this.#snapshot.next()
    if (span === undefined) return false
    this.#show(span.page, span.from, span.to, visit)
    return true
  }

  close(): void {
    this.#snapshot.close()
  }
}
