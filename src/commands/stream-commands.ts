// The rows of all stream commands. Used by: the command table.

import type { CommandSpec } from './spec.js'
import { xautoclaim, xclaim } from './stream-claim.js'
import { xgroup } from './stream-group.js'
import { xinfo } from './stream-info.js'
import { xpending } from './stream-pending.js'
import { xlen, xrange, xread, xrevrange } from './stream-read.js'
import { xack, xreadgroup } from './stream-readgroup.js'
import { xadd, xdel, xsetid, xtrim } from './stream-write.js'

export const streamCommands: readonly CommandSpec<never>[] = [
  xack,
  xadd,
  xautoclaim,
  xclaim,
  xdel,
  xgroup,
  xinfo,
  xlen,
  xpending,
  xrange,
  xread,
  xreadgroup,
  xrevrange,
  xsetid,
  xtrim,
]
