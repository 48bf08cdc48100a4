// All rows of the hash family.

import { hashChangers } from './hash-change.js'
import { hashExpiries } from './hash-expire.js'
import { hrandfield } from './hash-random.js'
import { hashReaders } from './hash-read.js'
import type { CommandSpec } from './spec.js'

export const hashCommands: readonly CommandSpec<never>[] = [
  ...hashChangers,
  ...hashReaders,
  hrandfield,
  ...hashExpiries,
]
