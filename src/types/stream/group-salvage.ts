// What can be read of a damaged consumer group, brought into a new one. Its two records of what is pending, by ID and
// by consumer, make good for each other: an entry that only its consumer's tree knows is pending as if it was delivered
// once, long ago, so that the next XAUTOCLAIM takes it; one of a consumer whose row is lost goes to `lost-<number>`.
// Used by: stream (salvaged).

import { unlessDamaged } from '../../base/errors.js'
import { OrderedPages } from '../../pages/ordered-pages.js'
import { wholePages } from '../../pages/whole-pages.js'
import { Table } from '../../store/row.js'
import { Consumer } from './consumer.js'
import type { ConsumerGroup } from './group.js'
import { consumerAt, deliveredMsAt, deliveriesAt, pelCodec } from './pel-record.js'

/** Number of no consumer: of an entry that was released. */
const NOBODY = 0

/** @param step called between two changes */
export function salvageGroup(source: ConsumerGroup, target: ConsumerGroup, step: () => void): void {
  const { rows, object } = source
  const consumers = new Map<number, { stored: Consumer; made: Consumer }>()
  for (const { key, value } of rows.scan(Table.Parts, Consumer.keyPrefix(object))) {
    const stored = unlessDamaged(() => Consumer.decode(source, key, value), undefined)
    if (stored === undefined) continue
    const { consumer: made } = target.ensureConsumer(stored.name, stored.seenMs)
    if (stored.activeMs !== undefined) made.setActive(stored.activeMs)
    consumers.set(stored.number, { stored, made })
  }
  const root = source.storedPelRoot
  const nothing = (): void => undefined
  const tree = unlessDamaged(() => root && new OrderedPages(rows, object, pelCodec, nothing, root), undefined)
  for (const page of tree === undefined ? [] : wholePages(tree)) {
    for (let i = 0; i < page.count; i++) {
      const at = page.payloadAt(i)
      const number = consumerAt(page.bytes, at)
      const [deliveredMs, deliveries] = [deliveredMsAt(page.bytes, at), deliveriesAt(page.bytes, at)]
      if (number === NOBODY) target.release(page.keyAt(i), deliveries)
      else {
        const owner = consumers.get(number)?.made ?? target.ensureConsumer(`lost-${number}`, deliveredMs).consumer
        target.setPending(page.keyAt(i), owner, deliveredMs, deliveries)
      }
      step()
    }
  }
  for (const { stored, made } of consumers.values()) {
    const owned = stored.pendingCount === 0 ? undefined : unlessDamaged(() => stored.owned(), undefined)
    for (const page of owned === undefined ? [] : wholePages(owned)) {
      for (let i = 0; i < page.count; i++) {
        if (target.pending(page.keyAt(i)) === undefined) target.setPending(page.keyAt(i), made, 0, 1)
        step()
      }
    }
  }
}
