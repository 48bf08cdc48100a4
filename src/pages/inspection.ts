// What a check of stored data has come to know: the objects and trees that belong to somebody, and what is wrong. The
// values of keys walk their own trees and tell it (KeyValue.check, tree-check.ts); admin/store-check.ts asks.

import { CorruptionError } from '../base/errors.js'

export interface TreeSize {
  readonly pages: number
  /** Rows of Blocks; 0 while the descriptors stand in the root. */
  readonly blocks: number
}

export class Inspection {
  /** Ids of objects, in the order met. */
  readonly objects: number[] = []
  readonly trees = new Map<number, TreeSize>()
  readonly #onFound: (what: string) => void
  readonly #onPage: () => void

  /**
   * @param onFound called for each thing that is wrong, with a sentence without its full stop
   * @param onPage called after each page that was read
   */
  constructor(onFound: (what: string) => void, onPage: () => void) {
    this.#onFound = onFound
    this.#onPage = onPage
  }

  found(what: string): void {
    this.#onFound(what)
  }

  pageRead(): void {
    this.#onPage()
  }

  owns(id: number): void {
    this.objects.push(id)
  }

  ownsTree(id: number, size: TreeSize): void {
    if (this.trees.has(id)) this.found(`tree ${id} belongs to two values`)
    this.trees.set(id, size)
  }

  /** Does `work`; notes the damage it meets and says whether it met none. Other errors pass. */
  attempt(work: () => void, consequence = ''): boolean {
    try {
      work()
      return true
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error
      this.found(error.message.replace(/\.$/, '') + consequence)
      return false
    }
  }
}
