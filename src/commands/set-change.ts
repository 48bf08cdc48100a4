// SADD, SREM, SMOVE, SPOP.

import { ReplyError, replyErrors } from '../base/errors.js'
import { randomBelow, randomRanks } from '../base/random.js'
import type { SetValue } from '../types/set/set-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { settleRemoval } from './fields-store.js'
import { createSet, integersMax, setToWrite } from './set-store.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'

const MUST_BE_POSITIVE = 'ERR value is out of range, must be positive'
/** Members in one journaled SREM, so that no effect becomes too long to build. */
const MEMBERS_PER_EFFECT = 1024

interface KeyAndMembers {
  readonly key: string
  readonly members: readonly string[]
}

export function parseKeyAndMembers(args: Args): KeyAndMembers {
  const key = args.key()
  return { key, members: args.texts() }
}

const sadd = defineCommand({
  name: 'sadd',
  arity: -3,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  categories: ['set'],
  keys: keysAt(['RW', 'insert'], 1),
  group: 'set',
  since: '1.0.0',
  summary: 'Adds members to a set, which is created if need be, and answers how many were new.',
  complexity: 'O(log N) for each member',
  parse: parseKeyAndMembers,
  run(ctx, { key, members }) {
    const set = setToWrite(ctx, key) ?? createSet(ctx, key)
    const most = integersMax(ctx)
    let added = 0
    for (let i = 0; i < members.length; i++) if (set.add(members[i], most)) added++
    ctx.reply.integer(added)
    if (added === 0) return
    ctx.changed(added)
    ctx.touched(key)
    ctx.notify('s', 'sadd', key)
  },
})

const srem = defineCommand({
  name: 'srem',
  arity: -3,
  flags: Flag.Write | Flag.Fast,
  categories: ['set'],
  keys: keysAt(['RW', 'delete'], 1),
  group: 'set',
  since: '1.0.0',
  summary: 'Removes members from a set and answers how many there were.',
  complexity: 'O(log N) for each member',
  parse: parseKeyAndMembers,
  run(ctx, { key, members }) {
    const set = setToWrite(ctx, key)
    if (set === undefined) return ctx.reply.integer(0)
    let removed = 0
    for (let i = 0; i < members.length; i++) if (set.remove(members[i])) removed++
    ctx.reply.integer(removed)
    if (removed === 0) return
    ctx.changed(removed)
    settleRemoval(ctx, key, set, 's', 'srem')
  },
})

const smove = defineCommand({
  name: 'smove',
  arity: 4,
  flags: Flag.Write | Flag.Fast,
  categories: ['set'],
  keys: [...keysAt(['RW', 'access', 'delete'], 1), ...keysAt(['RW', 'insert'], 2)],
  group: 'set',
  since: '1.0.0',
  summary: 'Moves a member from one set to another.',
  complexity: 'O(log N)',
  parse: (args: Args) => ({ from: args.key(), to: args.key(), member: args.text() }),
  run(ctx, { from, to, member }) {
    const entry = ctx.db.findToWrite(from)
    const targetEntry = ctx.db.findToWrite(to)
    if (entry === undefined) return ctx.reply.integer(0)
    if (entry.type !== 'set' || (targetEntry !== undefined && targetEntry.type !== 'set')) {
      throw new ReplyError(replyErrors.wrongType)
    }
    const source = entry.value as SetValue
    if (from === to) return ctx.reply.integer(source.has(member) ? 1 : 0)
    if (!source.remove(member)) return ctx.reply.integer(0)
    settleRemoval(ctx, from, source, 's', 'srem')
    const target = targetEntry === undefined ? createSet(ctx, to) : (targetEntry.value as SetValue)
    ctx.changed()
    if (target.add(member, integersMax(ctx))) {
      ctx.changed()
      ctx.touched(to)
      ctx.notify('s', 'sadd', to)
    }
    ctx.reply.integer(1)
  },
})

/** Journals what SPOP took as what it did. */
function journalRemoval(ctx: CommandContext, key: string, members: readonly string[]): void {
  for (let i = 0; i < members.length; i += MEMBERS_PER_EFFECT) {
    ctx.effect('SREM', key, ...members.slice(i, i + MEMBERS_PER_EFFECT))
  }
}

function popOne(ctx: CommandContext, key: string): void {
  const set = setToWrite(ctx, key)
  if (set === undefined) return ctx.reply.nullBulk()
  const member = set.at(randomBelow(set.count))
  set.remove(member)
  ctx.reply.latin1(member)
  ctx.effect('SREM', key, member)
  settleRemoval(ctx, key, set, 's', 'spop')
}

function popSome(ctx: CommandContext, key: string, count: number): void {
  const set = setToWrite(ctx, key)
  if (set === undefined || count === 0) return ctx.reply.set(0)
  const size = set.count
  if (count >= size) {
    ctx.reply.set(size)
    set.each(member => ctx.reply.latin1(member))
    ctx.db.remove(key)
    ctx.effect('DEL', key)
    ctx.touched(key)
    ctx.notify('s', 'spop', key)
    ctx.notify('g', 'del', key)
    return
  }
  const members = set.atRanks(randomRanks(count, size))
  ctx.reply.set(count)
  for (const member of members) {
    set.remove(member)
    ctx.reply.latin1(member)
  }
  journalRemoval(ctx, key, members)
  settleRemoval(ctx, key, set, 's', 'spop')
}

const spop = defineCommand({
  name: 'spop',
  arity: -2,
  flags: Flag.Write | Flag.Fast,
  categories: ['set'],
  keys: keysAt(['RW', 'access', 'delete'], 1),
  group: 'set',
  since: '1.0.0',
  summary: 'Takes random members out of a set and answers them.',
  complexity: 'O(log N) for each member taken',
  tips: ['nondeterministic_output'],
  parse(args: Args) {
    const key = args.key()
    if (args.remaining === 0) return { key, count: undefined }
    if (args.remaining > 1) throw new ReplyError(replyErrors.syntax)
    const count = args.integer(MUST_BE_POSITIVE)
    if (count < 0) throw new ReplyError(MUST_BE_POSITIVE)
    return { key, count }
  },
  run(ctx, { key, count }) {
    if (count === undefined) popOne(ctx, key)
    else popSome(ctx, key, count)
  },
})

export const setChangers: readonly CommandSpec<never>[] = [sadd, srem, smove, spop]
