// ZUNION, ZINTER, ZDIFF, what stores their results, and ZINTERCARD. Sets take part with scores of 1.
// Uses: zset-operations (what is computed).

import { ReplyError, replyErrors } from '../base/errors.js'
import type { SetValue } from '../types/set/set-value.js'
import type { ScoredMember, ZsetValue } from '../types/zset/zset-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec, KeySpec } from './spec.js'
import { attempt, granted } from './stream-arguments.js'
import { countIntersection, intersect, Source, subtract, unite } from './zset-operations.js'
import type { Aggregate } from './zset-operations.js'
import { replyMember, replyMembersHead } from './zset-range.js'
import { storeMembers } from './zset-store.js'

interface CombineOptions {
  /** One for each key, or undefined when all are 1. */
  readonly weights: readonly number[] | undefined
  readonly aggregate: Aggregate
  readonly withScores: boolean
}

interface Combination {
  readonly keys: readonly string[]
  /** Redis looks at the keys before it complains about these. */
  readonly options: CombineOptions | ReplyError
}

type Operation = 'union' | 'inter' | 'diff'

/** `numkeys key [key ...]` @param name the command's, for its error */
function parseCountedKeys(args: Args, name: string): string[] {
  const count = args.integer()
  if (count < 1) throw new ReplyError(`ERR at least 1 input key is needed for '${name}' command`)
  if (count > args.remaining) throw new ReplyError(replyErrors.syntax)
  const keys: string[] = []
  while (keys.length < count) keys.push(args.key())
  return keys
}

function takeAggregate(args: Args): Aggregate {
  if (args.take('SUM')) return 'sum'
  if (args.take('MIN')) return 'min'
  if (args.take('MAX')) return 'max'
  throw new ReplyError(replyErrors.syntax)
}

function parseOptions(args: Args, keyCount: number, operation: Operation, stores: boolean): CombineOptions {
  let weights: number[] | undefined
  let aggregate: Aggregate = 'sum'
  let withScores = false
  const mayWeigh = operation !== 'diff'
  while (args.remaining > 0) {
    if (mayWeigh && args.remaining > keyCount && args.take('WEIGHTS')) {
      weights = []
      while (weights.length < keyCount) weights.push(args.double('ERR weight value is not a float'))
    } else if (mayWeigh && args.remaining > 1 && args.take('AGGREGATE')) {
      aggregate = takeAggregate(args)
    } else if (!stores && args.take('WITHSCORES')) {
      withScores = true
    } else {
      throw new ReplyError(replyErrors.syntax)
    }
  }
  return { weights, aggregate, withScores }
}

function parseCombination(args: Args, name: string, operation: Operation, stores: boolean): Combination {
  const keys = parseCountedKeys(args, name)
  return { keys, options: attempt(args, a => parseOptions(a, keys.length, operation, stores)) }
}

/** All inputs; the type of every key is checked before anything else is done. @throws ReplyError WRONGTYPE */
function sourcesAt(ctx: CommandContext, keys: readonly string[]): Source[] {
  return keys.map(key => {
    const entry = ctx.db.find(key)
    if (entry === undefined) return new Source(undefined)
    if (entry.type !== 'zset' && entry.type !== 'set') throw new ReplyError(replyErrors.wrongType)
    return new Source(entry.value as ZsetValue | SetValue)
  })
}

function combine(ctx: CommandContext, operation: Operation, { keys, options }: Combination): ScoredMember[] {
  const sources = sourcesAt(ctx, keys)
  const { weights, aggregate } = granted(options)
  if (operation === 'diff') return subtract(sources)
  weights?.forEach((weight, i) => {
    sources[i].weight = weight
  })
  return operation === 'union' ? unite(sources, aggregate) : intersect(sources, aggregate)
}

function keysFrom(numkeysAt: number): KeySpec {
  const find = { keyNumIndex: 0, firstKey: 1, step: 1 }
  return { flags: ['RO', 'access'], begin: { index: numkeysAt }, find }
}

function reading(operation: Operation, summary: string): CommandSpec<never> {
  const name = `z${operation}`
  return defineCommand({
    name,
    arity: -3,
    flags: Flag.ReadOnly | Flag.MovableKeys,
    categories: ['sortedset'],
    keys: [keysFrom(1)],
    group: 'sorted-set',
    since: '6.2.0',
    summary,
    complexity: 'O(N log N) in the members looked at',
    parse: (args: Args) => parseCombination(args, name, operation, false),
    run(ctx, combination) {
      const members = combine(ctx, operation, combination)
      const { withScores } = granted(combination.options)
      replyMembersHead(ctx.reply, members.length, withScores)
      for (const { member, score } of members) replyMember(ctx.reply, member, score, withScores)
    },
  })
}

function storing(operation: Operation, since: string, summary: string): CommandSpec<never> {
  const name = `z${operation}store`
  return defineCommand({
    name,
    arity: -4,
    flags: Flag.Write | Flag.DenyOom | Flag.MovableKeys,
    categories: ['sortedset'],
    keys: [...keysAt(['OW', 'update'], 1), keysFrom(2)],
    group: 'sorted-set',
    since,
    summary,
    complexity: 'O(N log N) in the members looked at',
    parse: (args: Args) => ({ to: args.key(), combination: parseCombination(args, name, operation, true) }),
    run: (ctx, { to, combination }) => storeMembers(ctx, to, combine(ctx, operation, combination), name),
  })
}

function parseLimit(args: Args): number {
  let limit = 0
  const negative = "ERR LIMIT can't be negative"
  while (args.remaining > 0) {
    if (args.remaining < 2 || !args.take('LIMIT')) throw new ReplyError(replyErrors.syntax)
    limit = args.integer(negative)
    if (limit < 0) throw new ReplyError(negative)
  }
  return limit
}

const zintercard = defineCommand({
  name: 'zintercard',
  arity: -3,
  flags: Flag.ReadOnly | Flag.MovableKeys,
  categories: ['sortedset'],
  keys: [keysFrom(1)],
  group: 'sorted-set',
  since: '7.0.0',
  summary: 'Counts the members that all of several sorted sets have, up to a limit.',
  complexity: 'O(N log N) in the members of the smallest',
  parse(args: Args) {
    const keys = parseCountedKeys(args, 'zintercard')
    return { keys, limit: attempt(args, parseLimit) }
  },
  run(ctx, { keys, limit }) {
    const sources = sourcesAt(ctx, keys)
    ctx.reply.integer(countIntersection(sources, granted(limit)))
  },
})

export const zsetAlgebra: readonly CommandSpec<never>[] = [
  reading('union', 'Members that any of several sorted sets has.'),
  reading('inter', 'Members that all of several sorted sets have.'),
  reading('diff', 'Members of the first sorted set that none of the others has.'),
  storing('union', '2.0.0', 'Stores the members that any of several sorted sets has.'),
  storing('inter', '2.0.0', 'Stores the members that all of several sorted sets have.'),
  storing('diff', '6.2.0', 'Stores the members of the first sorted set that none of the others has.'),
  zintercard,
]
