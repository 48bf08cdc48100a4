// The HELP subcommand of container commands: a head line in Redis' form, then a form and our own sentence for each.

import { defineCommand, Flag } from './spec.js'
import type { CommandGroup, CommandSpec } from './spec.js'
import type { Reply } from '../resp/reply.js'

/** `CONFIG <subcommand> …` then each entry: the form of the subcommand and the lines that explain it. */
export type HelpEntries = readonly (readonly [form: string, ...lines: string[]])[]

export function writeHelp(reply: Reply, container: string, entries: HelpEntries): void {
  const lines = [`${container.toUpperCase()} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`]
  for (const [form, ...sentences] of [...entries, ['HELP', 'Prints this help.']]) {
    lines.push(form, ...sentences.map(sentence => `    ${sentence}`))
  }
  reply.array(lines.length)
  for (const line of lines) reply.status(line)
}

export function helpRow(
  container: string,
  group: CommandGroup,
  categories: readonly string[],
  entries: HelpEntries,
): CommandSpec<never> {
  return defineCommand({
    name: `${container}|help`,
    arity: 2,
    flags: Flag.Loading | Flag.Stale,
    categories,
    keys: [],
    group,
    since: '5.0.0',
    summary: `Explains the subcommands of ${container.toUpperCase()}.`,
    complexity: 'O(1)',
    parse: () => undefined,
    run: ctx => writeHelp(ctx.reply, container, entries),
  })
}
