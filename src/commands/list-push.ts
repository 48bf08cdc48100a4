// LPUSH, RPUSH, LPUSHX, RPUSHX. Elements go from the request into the list's page without a copy between.

import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { createList, listToWrite, push } from './list-store.js'
import type { End } from './list-store.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'

interface PushOptions {
  readonly key: string
  /** The argument that is the first element. */
  readonly from: number
}

function parsePush(args: Args): PushOptions {
  return { key: args.key(), from: args.at }
}

function runPush(ctx: CommandContext, { key, from }: PushOptions, end: End, create: boolean): void {
  const found = listToWrite(ctx, key)
  if (found === undefined && !create) return ctx.reply.integer(0)
  const list = found ?? createList(ctx, key)
  const { request } = ctx
  for (let i = from; i < request.argc; i++) push(list, end, request.bytes(i))
  ctx.changed(request.argc - from)
  ctx.touched(key)
  ctx.notify('l', end === 'left' ? 'lpush' : 'rpush', key)
  ctx.reply.integer(list.count)
}

function pushCommand(name: string, since: string, summary: string, end: End, create: boolean): CommandSpec<never> {
  return defineCommand({
    name,
    arity: -3,
    flags: Flag.Write | Flag.DenyOom | Flag.Fast,
    categories: ['list'],
    keys: keysAt(['RW', 'insert'], 1),
    group: 'list',
    since,
    summary,
    complexity: 'O(1) for each element',
    parse: parsePush,
    run: (ctx, options: PushOptions) => runPush(ctx, options, end, create),
  })
}

export const listPushers: readonly CommandSpec<never>[] = [
  pushCommand('lpush', '1.0.0', 'Puts elements at the head of a list, which is created if need be.', 'left', true),
  pushCommand('rpush', '1.0.0', 'Puts elements at the tail of a list, which is created if need be.', 'right', true),
  pushCommand('lpushx', '2.2.0', 'Puts elements at the head of a list if there is one.', 'left', false),
  pushCommand('rpushx', '2.2.0', 'Puts elements at the tail of a list if there is one.', 'right', false),
]
