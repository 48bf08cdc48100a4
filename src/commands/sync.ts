// SYNC: all data as an RDB file, then every change as it happens. For tools that copy or watch the data; replicas ask
// with PSYNC, which is not there.

import { rdbFileOf } from '../types/rdb/rdb-file.js'
import { defineCommand, Flag } from './spec.js'

export const syncCommand = defineCommand({
  name: 'sync',
  arity: 1,
  flags: Flag.Admin | Flag.NoScript | Flag.NoAsyncLoading | Flag.NoMulti,
  categories: [],
  keys: [],
  group: 'server',
  since: '1.0.0',
  summary: 'Sends all data in the form of an RDB file, then every change.',
  complexity: 'O(N) in the bytes of all data, which are in memory once more meanwhile',
  parse: () => undefined,
  run(ctx) {
    if (ctx.session.following) return
    const file = rdbFileOf(ctx.keyspace, ctx.server.config.values.protoMaxBulkLen)
    // Not a reply: there is no line end behind the bytes.
    const head = Buffer.from(`$${file.length}\r\n`)
    ctx.reply.wire(head, 0, head.length)
    ctx.reply.wire(file, 0, file.length)
    ctx.server.follow(ctx.session)
  },
})
