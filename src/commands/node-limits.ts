// XNODELIMITS, a row for the journal only: the node limits that were in force when the effects behind it were recorded.
// XADD opens and closes macro nodes by them, so a replay must run under the same ones, whatever the configuration says
// now. Written by exec/context before the first effect after a cut, a start or a change; exec/replay puts the
// configured limits back.

import type { Args } from './args.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

export const NODE_LIMITS_COMMAND = 'XNODELIMITS'

export const nodeLimitsCommands: readonly CommandSpec<never>[] = [
  defineCommand({
    name: NODE_LIMITS_COMMAND.toLowerCase(),
    arity: 3,
    flags: Flag.Write | Flag.Internal,
    categories: [],
    keys: [],
    group: 'stream',
    since: '7.0.0',
    summary: 'Sets the node limits that the effects behind it were made under.',
    parse: (args: Args) => ({ entriesMax: args.text(), bytesMax: args.text() }),
    run(ctx, { entriesMax, bytesMax }) {
      ctx.server.config.set([
        ['stream-node-max-entries', entriesMax],
        ['stream-node-max-bytes', bytesMax],
      ])
    },
  }),
]
