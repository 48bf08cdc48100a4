// A reply that goes nowhere, for the journal's replay. Only an error is remembered: the replay of what once succeeded
// must succeed.

import type { Reply } from '../resp/reply.js'

export class SinkReply implements Reply {
  readonly protocol = 2
  readonly position = 0
  /** The first error since clear(). */
  failure: string | undefined

  clear(): void {
    this.failure = undefined
  }
  error(text: string): void {
    this.failure ??= text
  }
  status(): void {}
  ok(): void {}
  integer(): void {}
  bulk(): void {}
  latin1(): void {}
  nullBulk(): void {}
  nullArray(): void {}
  array(): void {}
  map(): void {}
  set(): void {}
  push(): void {}
  boolean(): void {}
  double(): void {}
  bigNumber(): void {}
  verbatim(): void {}
  attribute(): void {}
  streamId(): void {}
  wire(): void {}
  deferArray(): number {
    return 0
  }
  endArray(): void {}
  deferMap(): number {
    return 0
  }
  endMap(): void {}
  truncate(): void {}
}
