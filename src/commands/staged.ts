// STAGE and STAGED, rows for the journal only. STAGE brings pieces of an argument that is too long to be written in one
// go; STAGED is a command with such arguments: how many, for each the number under which its pieces came and its place,
// then the command's own arguments, these left empty. docs/format/journal.md draws both. Written by exec/large-requests
// and exec/context, put together again by exec/staged-arguments: they never run by themselves.

import { assert } from '../base/assert.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

export const STAGE_COMMAND = 'STAGE'
export const STAGED_COMMAND = 'STAGED'

function internalRow(name: string, summary: string): CommandSpec<never> {
  return defineCommand({
    name: name.toLowerCase(),
    arity: -4,
    flags: Flag.Write | Flag.Internal,
    categories: [],
    keys: [],
    group: 'string',
    since: '7.0.0',
    summary,
    parse: () => undefined,
    run: () => assert(false, `${name} is for the replay`),
  })
}

export const stagedCommands: readonly CommandSpec<never>[] = [
  internalRow(STAGE_COMMAND, 'Brings pieces of a long argument.'),
  internalRow(STAGED_COMMAND, 'A command whose long arguments came before it.'),
]
