// SINTER, SUNION, SDIFF, what stores their results, and SINTERCARD.

import { ReplyError, replyErrors } from '../base/errors.js'
import { SetValue } from '../types/set/set-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { parseKeys } from './keys.js'
import { integersMax, setAt } from './set-store.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'

type Sets = readonly (SetValue | undefined)[]

/** Gives each member of the result once, until `take` says that it wants no more. */
type Operation = (sets: Sets, take: (member: string) => boolean) => void

/** Members that are taken from an extra copy of the first set rather than looked up in the others, at most. */
const COPIED_MAX = 1_000_000

/** All sets; the type of every key is checked before anything else is done. */
function setsAt(ctx: CommandContext, keys: readonly string[]): Sets {
  return keys.map(key => setAt(ctx, key))
}

function intersect(sets: Sets, take: (member: string) => boolean): void {
  const present = sets.filter(set => set !== undefined)
  if (present.length < sets.length) return
  // The smallest first: each of its members is looked up in the others.
  const [first, ...others] = present.sort((a, b) => a.count - b.count)
  first.some(member => {
    for (const other of others) if (other !== first && !other.has(member)) return false
    return take(member)
  })
}

function unite(sets: Sets, take: (member: string) => boolean): void {
  const seen = new Set<string>()
  for (const set of sets) {
    const stopped = set?.some(member => {
      if (seen.has(member)) return false
      seen.add(member)
      return take(member)
    })
    if (stopped === true) return
  }
}

function subtract(sets: Sets, take: (member: string) => boolean): void {
  const first = sets[0]
  if (first === undefined) return
  const others = sets.slice(1).filter(set => set !== undefined)
  if (others.includes(first)) return
  const othersCount = others.reduce((sum, set) => sum + set.count, 0)
  if (first.count * others.length <= othersCount * 2 || first.count > COPIED_MAX) {
    others.sort((a, b) => b.count - a.count)
    first.some(member => !others.some(other => other.has(member)) && take(member))
    return
  }
  const left = new Set<string>()
  first.each(member => void left.add(member))
  for (const other of others) other.each(member => void left.delete(member))
  for (const member of left) if (take(member)) return
}

function replyResult(ctx: CommandContext, operation: Operation, keys: readonly string[]): void {
  const members: string[] = []
  operation(setsAt(ctx, keys), member => {
    members.push(member)
    return false
  })
  ctx.reply.set(members.length)
  for (const member of members) ctx.reply.latin1(member)
}

function storeResult(ctx: CommandContext, name: string, operation: Operation, to: string, keys: readonly string[]) {
  const sets = setsAt(ctx, keys)
  const most = integersMax(ctx)
  let result: SetValue | undefined
  operation(sets, member => {
    result ??= SetValue.create(ctx.keyspace.rows)
    result.add(member, most)
    return false
  })
  const existed = ctx.db.peek(to) !== undefined
  if (result !== undefined) {
    ctx.db.put(to, result)
    ctx.notify('s', name, to)
  } else if (existed) {
    ctx.db.remove(to)
    ctx.notify('g', 'del', to)
  }
  ctx.reply.integer(result?.count ?? 0)
  if (result === undefined && !existed) return
  ctx.changed()
  ctx.touched(to)
}

function reading(name: string, summary: string, operation: Operation): CommandSpec<never> {
  return defineCommand({
    name,
    arity: -2,
    flags: Flag.ReadOnly,
    categories: ['set'],
    keys: keysAt(['RO', 'access'], 1, -1),
    group: 'set',
    since: '1.0.0',
    summary,
    complexity: 'O(N log N) in the members looked at',
    tips: ['nondeterministic_output_order'],
    parse: parseKeys,
    run: (ctx, keys) => replyResult(ctx, operation, keys),
  })
}

function storing(name: string, access: 'RW' | 'OW', summary: string, operation: Operation): CommandSpec<never> {
  return defineCommand({
    name,
    arity: -3,
    flags: Flag.Write | Flag.DenyOom,
    categories: ['set'],
    keys: [...keysAt([access, 'update'], 1), ...keysAt(['RO', 'access'], 2, -1)],
    group: 'set',
    since: '1.0.0',
    summary,
    complexity: 'O(N log N) in the members looked at',
    parse: (args: Args) => ({ to: args.key(), keys: parseKeys(args) }),
    run: (ctx, { to, keys }) => storeResult(ctx, name, operation, to, keys),
  })
}

function parseCard(args: Args): { keys: string[]; limit: number } {
  const tooFew = 'ERR numkeys should be greater than 0'
  const count = args.integer(tooFew)
  if (count < 1) throw new ReplyError(tooFew)
  if (count > args.remaining) throw new ReplyError("ERR Number of keys can't be greater than number of args")
  const keys: string[] = []
  while (keys.length < count) keys.push(args.key())
  let limit = 0
  const negative = "ERR LIMIT can't be negative"
  while (args.remaining > 0) {
    if (args.remaining < 2 || !args.take('LIMIT')) throw new ReplyError(replyErrors.syntax)
    limit = args.integer(negative)
    if (limit < 0) throw new ReplyError(negative)
  }
  return { keys, limit }
}

const sintercard = defineCommand({
  name: 'sintercard',
  arity: -3,
  flags: Flag.ReadOnly | Flag.MovableKeys,
  categories: ['set'],
  keys: [{ flags: ['RO', 'access'], begin: { index: 1 }, find: { keyNumIndex: 0, firstKey: 1, step: 1 } }],
  group: 'set',
  since: '7.0.0',
  summary: 'Counts the members that all of several sets have, up to a limit.',
  complexity: 'O(N log N) in the members of the smallest set',
  parse: parseCard,
  run(ctx, { keys, limit }) {
    let count = 0
    intersect(setsAt(ctx, keys), () => ++count === limit)
    ctx.reply.integer(count)
  },
})

export const setAlgebra: readonly CommandSpec<never>[] = [
  reading('sinter', 'Members that all of several sets have.', intersect),
  reading('sunion', 'Members that any of several sets has.', unite),
  reading('sdiff', 'Members of the first set that none of the others has.', subtract),
  storing('sinterstore', 'RW', 'Stores the members that all of several sets have.', intersect),
  storing('sunionstore', 'OW', 'Stores the members that any of several sets has.', unite),
  storing('sdiffstore', 'OW', 'Stores the members of the first set that none of the others has.', subtract),
  sintercard,
]
