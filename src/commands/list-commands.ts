// All rows of the list family.

import { listWaiters } from './list-blocking.js'
import { listChangers } from './list-change.js'
import { listMovers } from './list-move.js'
import { listPoppers } from './list-pop.js'
import { listPushers } from './list-push.js'
import { listReaders } from './list-read.js'
import type { CommandSpec } from './spec.js'

export const listCommands: readonly CommandSpec<never>[] = [
  ...listPushers,
  ...listPoppers,
  ...listReaders,
  ...listChangers,
  ...listMovers,
  ...listWaiters,
]
