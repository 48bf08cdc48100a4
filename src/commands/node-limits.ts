// XNODELIMITS, a row for the journal only: the limits that were in force when the effects behind it were recorded.
// XADD opens and closes macro nodes by those of nodes, and a stream takes over those of idempotence at the first use,
// so a replay must run under the same ones, whatever the configuration says now. Written by exec/context before the
// first effect after a cut, a start or a change; exec/replay puts the configured limits back.

import type { Config } from '../base/config.js'
import type { Args } from './args.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

export const NODE_LIMITS_COMMAND = 'XNODELIMITS'

/** In the order of the arguments. Journals of before the limits of idempotence have the first two. */
export const JOURNALED_LIMITS = [
  'stream-node-max-entries',
  'stream-node-max-bytes',
  'stream-idmp-duration',
  'stream-idmp-maxsize',
] as const

export type LimitValues = Pick<
  Config['values'],
  'streamNodeMaxEntries' | 'streamNodeMaxBytes' | 'streamIdmpDuration' | 'streamIdmpMaxsize'
>

/** What is in force, as it is journaled. */
export function journaledLimits(values: LimitValues): number[] {
  const { streamNodeMaxEntries, streamNodeMaxBytes, streamIdmpDuration, streamIdmpMaxsize } = values
  return [streamNodeMaxEntries, streamNodeMaxBytes, streamIdmpDuration, streamIdmpMaxsize]
}

export function setLimits(config: Pick<Config, 'set'>, limits: readonly (number | string)[]): void {
  config.set(limits.map((limit, i) => [JOURNALED_LIMITS[i], String(limit)]))
}

export const nodeLimitsCommands: readonly CommandSpec<never>[] = [
  defineCommand({
    name: NODE_LIMITS_COMMAND.toLowerCase(),
    arity: -3,
    flags: Flag.Write | Flag.Internal,
    categories: [],
    keys: [],
    group: 'stream',
    since: '7.0.0',
    summary: 'Sets the limits that the effects behind it were made under.',
    parse(args: Args) {
      const limits: string[] = []
      while (args.remaining > 0) limits.push(args.text())
      return limits
    },
    run: (ctx, limits) => setLimits(ctx.server.config, limits),
  }),
]
