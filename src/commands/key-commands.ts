// All rows of the key family.

import { databaseCommands } from './databases.js'
import { dumpCommands } from './dump.js'
import { expireCommands } from './expire.js'
import { keyBasics } from './keys.js'
import { moveCommands } from './keys-move.js'
import { migrateCommands } from './migrate.js'
import { objectCommand } from './object.js'
import { scanCommands } from './scan.js'
import type { CommandSpec } from './spec.js'

export const keyCommands: readonly CommandSpec<never>[] = [
  ...keyBasics,
  ...scanCommands,
  ...expireCommands,
  ...moveCommands,
  ...dumpCommands,
  ...migrateCommands,
  ...databaseCommands,
  objectCommand,
]
