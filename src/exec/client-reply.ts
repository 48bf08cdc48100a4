// The reply writer of a client: counts error replies on their way, for INFO errorstats.

import { ReplyWriter } from '../resp/reply-writer.js'

export class ClientReply extends ReplyWriter {
  readonly #counter: { countError(text: string): void }

  constructor(counter: { countError(text: string): void }) {
    super()
    this.#counter = counter
  }

  override error(text: string): void {
    this.#counter.countError(text)
    super.error(text)
  }
}
