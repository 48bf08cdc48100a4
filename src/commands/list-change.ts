// LSET, LTRIM, LREM, LINSERT.

import { ReplyError, replyErrors } from '../base/errors.js'
import type { Args } from './args.js'
import { absolute, listToWrite, removeElements, settleRemoval } from './list-store.js'
import { takeIndex } from './list-read.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import { attempt, granted } from './stream-arguments.js'

const lset = defineCommand({
  name: 'lset',
  arity: 4,
  flags: Flag.Write | Flag.DenyOom,
  categories: ['list'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'list',
  since: '1.0.0',
  summary: 'Replaces the element at an index of a list.',
  complexity: 'O(log N)',
  // Redis looks at the key before it complains about the index.
  parse: (args: Args) => ({ key: args.key(), index: attempt(args, takeIndex) }),
  run(ctx, { key, index }) {
    const list = listToWrite(ctx, key)
    if (list === undefined) throw new ReplyError(replyErrors.noSuchKey)
    const at = absolute(granted(index), list.count)
    if (at < 0 || at >= list.count) throw new ReplyError(replyErrors.outOfRange)
    list.replace(at, ctx.request.bytes(LSET_VALUE))
    ctx.changed()
    ctx.touched(key)
    ctx.notify('l', 'lset', key)
    ctx.reply.ok()
  },
})

const LSET_VALUE = 3

const ltrim = defineCommand({
  name: 'ltrim',
  arity: 4,
  flags: Flag.Write,
  categories: ['list'],
  keys: keysAt(['RW', 'delete'], 1),
  group: 'list',
  since: '1.0.0',
  summary: 'Keeps the elements between two indexes of a list, both included, and removes all others.',
  complexity: 'O(log N), and O(1) for each page of elements removed',
  parse: (args: Args) => ({ key: args.key(), start: args.integer(), stop: args.integer() }),
  run(ctx, { key, start, stop }) {
    const list = listToWrite(ctx, key)
    ctx.reply.ok()
    if (list === undefined) return
    const { count } = list
    const from = Math.max(absolute(start, count), 0)
    const to = Math.min(absolute(stop, count) + 1, count)
    const kept = Math.max(to - from, 0)
    if (kept === 0) {
      removeElements(ctx, key, list, 0, count, 'ltrim')
    } else {
      list.removeRange(to, count)
      removeElements(ctx, key, list, 0, from, 'ltrim')
    }
    if (kept < count) ctx.changed(count - kept)
  },
})

const lrem = defineCommand({
  name: 'lrem',
  arity: 4,
  flags: Flag.Write,
  categories: ['list'],
  keys: keysAt(['RW', 'delete'], 1),
  group: 'list',
  since: '1.0.0',
  summary: 'Removes elements from a list by value: the first ones, the last ones or all.',
  complexity: 'O(N + M log N) for N elements and M runs of equal ones removed',
  parse(args: Args) {
    const key = args.key()
    return { key, count: args.integer(), value: args.bytes() }
  },
  run(ctx, { key, count, value }) {
    const list = listToWrite(ctx, key)
    if (list === undefined) return ctx.reply.integer(0)
    const removed = list.removeEqual(value, count === 0 ? Infinity : Math.abs(count), count < 0)
    ctx.reply.integer(removed)
    if (removed === 0) return
    ctx.changed(removed)
    settleRemoval(ctx, key, list, 'lrem')
  },
})

const linsert = defineCommand({
  name: 'linsert',
  arity: 5,
  flags: Flag.Write | Flag.DenyOom,
  categories: ['list'],
  keys: keysAt(['RW', 'insert'], 1),
  group: 'list',
  since: '2.2.0',
  summary: 'Inserts an element before or after the first one that has a given value.',
  complexity: 'O(N) for N elements before the one looked for',
  parse(args: Args) {
    const key = args.key()
    const after = args.take('AFTER')
    if (!after && !args.take('BEFORE')) throw new ReplyError(replyErrors.syntax)
    return { key, after, pivot: args.bytes() }
  },
  run(ctx, { key, after, pivot }) {
    const list = listToWrite(ctx, key)
    if (list === undefined) return ctx.reply.integer(0)
    const index = list.indexOf(pivot)
    if (index === -1) return ctx.reply.integer(-1)
    list.insert(after ? index + 1 : index, ctx.request.bytes(LINSERT_VALUE))
    ctx.changed()
    ctx.touched(key)
    ctx.notify('l', 'linsert', key)
    ctx.reply.integer(list.count)
  },
})

const LINSERT_VALUE = 4

export const listChangers: readonly CommandSpec<never>[] = [lset, ltrim, lrem, linsert]
