// Commands for tests of the executor's parts: a name, an arity, flags, and what it does with its words.

import type { Args } from '../../src/commands/args.js'
import type { CommandContext } from '../../src/commands/context.js'
import { defineCommand } from '../../src/commands/spec.js'
import type { CommandSpec } from '../../src/commands/spec.js'

export type Run = (ctx: CommandContext, words: string[]) => void

export function command(name: string, arity: number, flags: number, run: Run): CommandSpec<never> {
  return defineCommand({
    name,
    arity,
    flags,
    categories: [],
    keys: [],
    group: 'generic',
    since: '1.0.0',
    summary: 'For this test.',
    parse(args: Args) {
      const words: string[] = []
      while (args.remaining > 0) words.push(args.text())
      return words
    },
    run,
  })
}
