// Every command, gathered from the families. A new family is added here and nowhere else.

import { aclCommand } from './acl.js'
import { serverCommands } from './admin.js'
import { clusterCommands } from './cluster.js'
import { connectionCommands } from './connection.js'
import { functionCommands } from './function.js'
import { hashCommands } from './hash-commands.js'
import { keyCommands } from './key-commands.js'
import { listCommands } from './list-commands.js'
import { monitorCommand } from './monitor.js'
import { nodeLimitsCommands } from './node-limits.js'
import { stagedCommands } from './staged.js'
import { pubsubCommands } from './pubsub.js'
import { scriptCommands } from './script.js'
import { setCommands } from './set-commands.js'
import type { CommandSpec } from './spec.js'
import { streamCommands } from './stream-commands.js'
import { sortCommands } from './sort.js'
import { syncCommand } from './sync.js'
import { stringCommands } from './string-commands.js'
import { CommandTable } from './table.js'
import { transactionCommands } from './transaction.js'
import { zsetCommands } from './zset-commands.js'

const FAMILIES: readonly (readonly CommandSpec<never>[])[] = [
  connectionCommands,
  serverCommands,
  keyCommands,
  stringCommands,
  setCommands,
  hashCommands,
  listCommands,
  zsetCommands,
  streamCommands,
  sortCommands,
  transactionCommands,
  pubsubCommands,
  [monitorCommand, syncCommand, aclCommand],
  scriptCommands,
  functionCommands,
  clusterCommands,
  nodeLimitsCommands,
  stagedCommands,
]

export function commandTable(): CommandTable {
  return new CommandTable(FAMILIES.flat())
}
