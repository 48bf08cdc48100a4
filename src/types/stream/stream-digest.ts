// What clients can see of a stream, piece by piece, for DEBUG DIGEST: equal streams, equal pieces, whatever pages and
// macro nodes they lie in. Used by: stream.

import { formatId, ID_MAX, ID_MIN } from '../../base/stream-id.js'
import type { ConsumerGroup } from './group.js'
import type { Idempotence } from './idempotence.js'
import type { Stream } from './stream.js'

type Feed = (bytes: Uint8Array) => void

export function digestStream(stream: Stream, feed: Feed): void {
  say(feed, formatId(stream.lastId), formatId(stream.maxDeletedId), stream.entriesAdded, stream.length)
  // An entry a piece: where longer slices end depends on the pages.
  for (const { bytes, from, to } of stream.rangeReverse(ID_MIN, ID_MAX, stream.length)) feed(bytes.subarray(from, to))
  for (const group of stream.groups()) digestGroup(group, feed)
  if (stream.usesIdempotence) digestIdempotence(stream.idempotence, feed)
}

function digestGroup(group: ConsumerGroup, feed: Feed): void {
  say(feed, group.name, formatId(group.lastDeliveredId), group.entriesRead, group.pendingCount)
  say(feed, group.position, group.releasedCount)
  for (const { name, seenMs, activeMs, pendingCount } of group.consumers()) {
    say(feed, name, seenMs, activeMs, pendingCount)
  }
  for (const { id, ownerName, deliveredMs, deliveries } of group.pendingRange(ID_MIN, ID_MAX)) {
    say(feed, formatId(id), ownerName, deliveredMs, deliveries)
  }
  if (group.releasedCount === 0) return
  for (const { id, owner } of group.oldestPending(0)) if (owner === undefined) say(feed, formatId(id))
}

function digestIdempotence(idempotence: Idempotence, feed: Feed): void {
  const { durationS, sizeMax, added, duplicates } = idempotence.figures(0, { durationS: 0, sizeMax: 0 })
  say(feed, durationS, sizeMax, added, duplicates)
  for (const producer of idempotence.producers()) {
    say(feed, producer.name)
    for (const { digest, id, addedMs } of producer.contents()) say(feed, digest, formatId(id), addedMs)
  }
}

/** Each value is a piece; names are latin1. */
function say(feed: Feed, ...values: readonly (string | number | bigint | undefined)[]): void {
  for (const value of values) feed(Buffer.from(String(value), 'latin1'))
}
