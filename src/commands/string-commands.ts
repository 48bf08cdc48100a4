// All rows of the string family, bitmaps included.

import { bitmapCommands } from './bitmap.js'
import { lcs } from './lcs.js'
import type { CommandSpec } from './spec.js'
import { stringChangers } from './string-change.js'
import { stringGetters } from './string-get.js'
import { stringSetters } from './string-set.js'

export const stringCommands: readonly CommandSpec<never>[] = [
  ...stringSetters,
  ...stringGetters,
  ...stringChangers,
  ...bitmapCommands,
  lcs,
]
