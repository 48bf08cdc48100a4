// A pending entry as it was when it was read, and what goes with it. Used by: pel, group, commands.

import type { StreamId } from '../../base/stream-id.js'
import type { Position } from '../../pages/ordered-pages.js'
import type { RecordPage } from '../../pages/record-page.js'
import type { Consumer } from './consumer.js'
import type { Count } from './count.js'

export class Pending {
  constructor(
    readonly id: StreamId,
    /** Undefined of one that was released: it belongs to nobody, and to whoever claims it. */
    readonly owner: Consumer | undefined,
    /** Unix ms; 0 of a released one. */
    readonly deliveredMs: number,
    readonly deliveries: Count,
  ) {}

  /** latin1; '' of a released one. */
  get ownerName(): string {
    return this.owner === undefined ? '' : this.owner.name
  }

  /** At least 0; -1 of a released one. */
  idleMs(nowMs: number): number {
    return this.owner === undefined ? -1 : Math.max(nowMs - this.deliveredMs, 0)
  }

  /** Whether it may be claimed by who asks for so much idle time: a released one always. */
  isIdle(nowMs: number, idleMsMin: number): boolean {
    return idleMsMin <= 0 || this.owner === undefined || nowMs - this.deliveredMs >= idleMsMin
  }
}

/** A pending entry and its entry in the stream. */
export interface Claimable<E> {
  readonly row: Pending
  readonly entry: E
}

/** A pending entry and where its record lies: void once a record was added or removed. */
export interface Located {
  readonly row: Pending
  readonly place: Position<StreamId, RecordPage>
}

/** What a group keeps of its released entries beside their records. */
export interface Releases {
  count: number
  /** Place of the next one. */
  next: number
}
