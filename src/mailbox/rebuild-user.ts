// Mends a damaged mailbox from the dispatch log. Used by: services, after CorruptEntry or UnknownFormat.
// The owner calls it between two steps of its materializer, so that nobody else writes the user meanwhile.

import type { DispatchLog } from './dispatch-log.js'
import { groupOf } from './dispatch-record.js'
import { laneOf } from './lane.js'
import { LogLost } from './mailbox-error.js'
import type { Mailbox } from './mailbox-backend.js'
import { logOffsetOf, mailboxSeq } from './mailbox-seq.js'
import type { Ownership } from './shard-registry.js'

const BATCH = 1_000

export interface RebuiltUser {
  readonly groups: number
  readonly events: number
}

/**
 * Replays what the log holds for `user` in `epoch` and is whole.
 * @throws LogLost when that epoch was of a log that was recreated, or its records are gone; Fenced
 */
export async function rebuildUser(
  mailbox: Mailbox,
  log: DispatchLog,
  ownership: Ownership,
  user: string,
  epoch: number = ownership.epoch,
): Promise<RebuiltUser> {
  const { shard } = ownership
  const { first, last } = await offsetsOf(mailbox, shard, user, epoch)
  const { origin, oldest } = await log.bounds(shard)
  const wanted = Math.max(first, origin)
  if (last >= wanted && oldest > wanted) throw new LogLost(`shard ${shard}: the log begins at ${oldest}, not ${wanted}`)
  await mailbox.store.beginRebuild({ shard, user, epoch }, ownership.epoch)
  const seen = new Set<string>()
  let [groups, events] = [0, 0]
  for (let after = oldest - 1; after < last;) {
    const records = await log.read(shard, after < 0 ? undefined : after, BATCH)
    if (records.length === 0) break
    for (const record of records) {
      after = record.logOffset
      if (after > last) break
      // Of a dispatch that was appended twice only the first was materialized.
      const isFirst = !seen.has(record.dispatchId)
      seen.add(record.dispatchId)
      const recipient =
        after >= first && isFirst ? record.recipients.find(({ user: name }) => name === user) : undefined
      if (recipient === undefined) continue
      await mailbox.store.append(groupOf(record, recipient, shard, mailboxSeq(epoch, after)), ownership.epoch)
      groups++
      events += recipient.events.length
    }
  }
  return { groups, events }
}

/** The offsets that are whole in an epoch for a user's lane. */
async function offsetsOf(mailbox: Mailbox, shard: number, user: string, epoch: number) {
  const boundaries = await mailbox.registry.boundaries(shard)
  const later = boundaries.filter(boundary => boundary.epoch > epoch)
  const lost = later.find(({ kind }) => kind === 'E3' || kind === 'E4')
  if (lost) throw new LogLost(`shard ${shard}: epoch ${epoch} was of a log that ended with epoch ${lost.epoch}`)
  const start = boundaries.find(boundary => boundary.epoch === epoch)?.start
  const [next] = later
  const end = next === undefined ? undefined : next.previousEnd
  const w = next === undefined ? (await mailbox.watermarks.read(shard)).lanes[laneOf(user)]?.w : undefined
  const last = w ?? (end === undefined ? -1 : logOffsetOf(end))
  return { first: start === undefined ? 0 : logOffsetOf(start), last }
}
