// The rows of all stream commands. Used by: the command table.

import type { CommandSpec } from './spec.js'
import { xautoclaim, xclaim } from './stream-claim.js'
import { xackdel, xdelex } from './stream-delete.js'
import { xgroup } from './stream-group.js'
import { xcfgset, xidmprecord } from './stream-idempotence.js'
import { xinfo } from './stream-info.js'
import { xnack } from './stream-nack.js'
import { xpending } from './stream-pending.js'
import { xlen, xrange, xread, xrevrange } from './stream-read.js'
import { xack, xreadgroup } from './stream-readgroup.js'
import { xadd, xdel, xsetid, xtrim } from './stream-write.js'

export const streamCommands: readonly CommandSpec<never>[] = [
  xack,
  xackdel,
  xadd,
  xautoclaim,
  xcfgset,
  xclaim,
  xdel,
  xdelex,
  xgroup,
  xidmprecord,
  xinfo,
  xlen,
  xnack,
  xpending,
  xrange,
  xread,
  xreadgroup,
  xrevrange,
  xsetid,
  xtrim,
]
