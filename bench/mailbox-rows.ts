// The rows of the mailbox layer: the hot path of a materializer, in day buckets and in streams.

import { timed, WARM_UP_COMMANDS } from './load.js'
import type { Row } from './load.js'
import { MailboxLoad, SHARDS } from './mailbox-load.js'
import type { Layout } from './mailbox-load.js'

const PIPELINE_PER_SHARD = 16

function materialize(name: string, layout: Layout): Row {
  const what = layout === 'stream' ? 'a stream per user' : 'sorted sets by day'
  const measure = async (port: number, operations: number, prefix: string) => {
    const load = new MailboxLoad(layout, Date.now(), prefix)
    await load.prepare(port)
    const batch = SHARDS * PIPELINE_PER_SHARD
    const measured = await timed(port, operations, async client => {
      for (let sent = 0; sent < operations; sent += batch) {
        const count = Math.min(batch, operations - sent)
        const bytes = Buffer.concat(Array.from({ length: count }, () => load.next().materialize))
        await client.send(bytes, count)
        // A call that answers anything else has not done the work.
        const answer = client.last.toString('latin1')
        if (!answer.includes('appended')) throw new Error(`a call answered ${answer}`)
      }
    })
    return measured
  }
  return {
    name,
    what: `EVALSHA of materialize_fresh_single_recipient into ${what}: 8 shards, 1,000 users, 16 calls each at once`,
    unit: 'EVALSHA',
    fsync: 'everysec',
    operations: 200_000,
    warmUp: port => measure(port, WARM_UP_COMMANDS / 4, 'warm:'),
    measure: (port, operations) => measure(port, operations, ''),
  }
}

export const mailboxRows: readonly Row[] = [
  materialize('mailbox-materialize', 'buckets'),
  materialize('mailbox-materialize-streams', 'stream'),
]
