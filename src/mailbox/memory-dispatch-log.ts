// A dispatch log in memory. For tests and programs without a server; it can lose its head and begin anew, as real ones
// do.

import { checkedPartition } from './dispatch-log.js'
import type { Destination, DispatchLog, LogBounds } from './dispatch-log.js'
import { checkedDispatch } from './dispatch-record.js'
import type { Dispatch, DispatchRecord } from './dispatch-record.js'

interface Partition {
  next: number
  records: DispatchRecord[]
}

export class MemoryDispatchLog implements DispatchLog {
  readonly #partitions = new Map<number, Partition>()

  async append(destination: Destination, dispatch: Dispatch): Promise<number> {
    const partition = this.#of(checkedPartition(destination))
    partition.records.push({ ...checkedDispatch(dispatch), logOffset: partition.next })
    return partition.next++
  }

  async read(partition: number, afterOffset: number | undefined, count: number): Promise<DispatchRecord[]> {
    const { records } = this.#of(partition)
    return records.filter(({ logOffset }) => logOffset > (afterOffset ?? -1)).slice(0, count)
  }

  async bounds(partition: number): Promise<LogBounds> {
    const { records, next } = this.#of(partition)
    return { origin: 0, oldest: records[0]?.logOffset ?? next, next }
  }

  /** Forgets records below an offset. */
  trimBefore(partition: number, offset: number): void {
    const found = this.#of(partition)
    found.records = found.records.filter(({ logOffset }) => logOffset >= offset)
  }

  /** A new log under the old name: E3 or E4. */
  recreate(partition: number): void {
    this.#partitions.delete(partition)
  }

  #of(partition: number): Partition {
    let found = this.#partitions.get(partition)
    if (found === undefined) this.#partitions.set(partition, (found = { next: 0, records: [] }))
    return found
  }
}
