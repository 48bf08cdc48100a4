// MONITOR. What is shown, and how, is exec/monitors.

import { ReplyError } from '../base/errors.js'
import { defineCommand, Flag } from './spec.js'

export const monitorCommand = defineCommand({
  name: 'monitor',
  arity: 1,
  flags: Flag.Admin | Flag.NoScript | Flag.Loading | Flag.Stale,
  categories: [],
  keys: [],
  group: 'server',
  since: '1.0.0',
  summary: 'Shows every command that the server runs, until the connection ends or is reset.',
  complexity: 'O(1); every command of others then costs more',
  parse: () => undefined,
  run(ctx) {
    if (!ctx.mayBlock) throw new ReplyError("ERR MONITOR isn't allowed for DENY BLOCKING client")
    // A second time there is no answer, in Redis neither.
    if (ctx.session.monitoring) return
    ctx.server.monitor(ctx.session)
    ctx.reply.ok()
  },
})
