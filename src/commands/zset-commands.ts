// All rows of the family of sorted sets.

import type { CommandSpec } from './spec.js'
import { zsetAdders } from './zset-add.js'
import { zsetRanges } from './zset-range.js'
import { zsetReaders } from './zset-read.js'
import { zsetRemovers } from './zset-remove.js'

export const zsetCommands: readonly CommandSpec<never>[] = [
  ...zsetAdders,
  ...zsetReaders,
  ...zsetRanges,
  ...zsetRemovers,
]
