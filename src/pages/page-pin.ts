// A page held as it is for a reply that runs on: whoever is about to change the page copies it first. One pin serves
// all replies that hold the same state of a page. Used by: tree-snapshot (holds), ordered-pages (copies).
//
// Invariant: `page` has the state that it had when the pin was made, as long as anybody holds the pin.

import type { Page, PageCodec } from './page.js'

export class PagePin<P> {
  /** Replies that hold it. */
  holders = 0

  constructor(public page: P) {}

  /** The page is about to change in place: the pin gets a page of its own, with the same bytes. */
  keep<K>(codec: PageCodec<K, P & Page<K>>): void {
    if (this.holders === 0) return
    const page = this.page as P & Page<K>
    // Bytes handed out by encodeBody() do not change, so that a page may be made of them.
    this.page = codec.decode(page.encodeBody(), page.count)
  }
}
