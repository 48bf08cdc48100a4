// What the rows of CLIENT's subcommands have in common.

import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const ANY = Flag.NoScript | Flag.Loading | Flag.Stale
export const ADMIN = Flag.Admin | ANY

interface Row<O> {
  readonly arity: number
  readonly since: string
  readonly summary: string
  readonly flags?: number
  readonly complexity?: string
  readonly tips?: readonly string[]
  parse(args: Args): O
  run(ctx: CommandContext, options: O): void
}

export function clientRow<O>(name: string, spec: Row<O>): CommandSpec<never> {
  return defineCommand<O>({
    flags: ANY,
    complexity: 'O(1)',
    ...spec,
    name: `client|${name}`,
    categories: ['connection'],
    keys: [],
    group: 'connection',
  })
}
