// All rows of the family of sorted sets.

import type { CommandSpec } from './spec.js'
import { geoadd } from './geo-add.js'
import { zsetAdders } from './zset-add.js'
import { zsetAlgebra } from './zset-algebra.js'
import { zsetPops } from './zset-pop.js'
import { zrandmember } from './zset-random.js'
import { zsetRanges } from './zset-range.js'
import { zsetReaders } from './zset-read.js'
import { zsetRemovers } from './zset-remove.js'

export const zsetCommands: readonly CommandSpec<never>[] = [
  ...zsetAdders,
  geoadd,
  ...zsetReaders,
  ...zsetRanges,
  ...zsetRemovers,
  ...zsetPops,
  ...zsetAlgebra,
  zrandmember,
]
