// MULTI, EXEC, DISCARD, WATCH and UNWATCH. The rows only; the queue and the watched keys are exec/'s.

import type { Args } from './args.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'

const COMMON = Flag.NoScript | Flag.Loading | Flag.Stale | Flag.Fast | Flag.AllowBusy
const nothing = (): undefined => undefined

export const transactionCommands: readonly CommandSpec<never>[] = [
  defineCommand({
    name: 'multi',
    arity: 1,
    flags: COMMON,
    categories: ['transaction'],
    keys: [],
    group: 'transactions',
    since: '1.2.0',
    summary: 'Starts a transaction: what follows is queued until EXEC.',
    complexity: 'O(1)',
    parse: nothing,
    run(ctx) {
      ctx.transaction.begin()
      ctx.reply.ok()
    },
  }),
  defineCommand({
    name: 'exec',
    arity: 1,
    flags: Flag.NoScript | Flag.Loading | Flag.Stale | Flag.SkipSlowlog,
    categories: ['transaction'],
    keys: [],
    group: 'transactions',
    since: '1.2.0',
    summary: 'Runs all queued commands as one, unless a watched key changed.',
    complexity: 'Depends on the queued commands',
    parse: nothing,
    run: ctx => ctx.transaction.exec(),
  }),
  defineCommand({
    name: 'discard',
    arity: 1,
    flags: COMMON,
    categories: ['transaction'],
    keys: [],
    group: 'transactions',
    since: '2.0.0',
    summary: 'Forgets all queued commands and watched keys.',
    complexity: 'O(N) in the number of queued commands',
    parse: nothing,
    run(ctx) {
      ctx.transaction.discard()
      ctx.reply.ok()
    },
  }),
  defineCommand({
    name: 'watch',
    arity: -2,
    flags: COMMON,
    categories: ['transaction'],
    keys: keysAt(['RO'], 1, -1),
    group: 'transactions',
    since: '2.2.0',
    summary: 'Makes the next EXEC run nothing if one of the keys changes before it.',
    complexity: 'O(1) for every key',
    parse(args: Args) {
      return args.texts()
    },
    run(ctx, keys) {
      ctx.transaction.watch(keys)
      ctx.reply.ok()
    },
  }),
  defineCommand({
    name: 'unwatch',
    arity: 1,
    flags: COMMON,
    categories: ['transaction'],
    keys: [],
    group: 'transactions',
    since: '2.2.0',
    summary: 'Forgets all watched keys.',
    complexity: 'O(1)',
    parse: nothing,
    run(ctx) {
      ctx.transaction.unwatch()
      ctx.reply.ok()
    },
  }),
]
