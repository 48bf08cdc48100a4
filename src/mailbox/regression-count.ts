// mailbox_seq_regression_count: how often a visible sequence was seen to step backwards. It must stay 0; anything else
// means that an epoch was not raised when it had to be, or that data came back from an old copy. Used by:
// mailbox-reader.

import type { MailboxSeq } from './mailbox-seq.js'

export class RegressionCount {
  readonly #highest = new Map<string, MailboxSeq>()
  #count = 0

  get value(): number {
    return this.#count
  }

  /** `what` is seen at `seq`: a lane of a shard; there are few of them. Answers whether it was a step backwards. */
  observe(what: string, seq: MailboxSeq): boolean {
    const highest = this.#highest.get(what)
    const isBack = highest !== undefined && seq < highest
    if (isBack) this.#count++
    else this.#highest.set(what, seq)
    return isBack
  }

  /** Sequences given to one client in one go, behind `after`. */
  observePage(after: MailboxSeq, seqs: readonly MailboxSeq[]): void {
    let last = after
    for (const seq of seqs) {
      if (seq < last || (seq === after && seq <= last)) this.#count++
      last = seq
    }
  }
}
