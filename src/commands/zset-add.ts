// ZADD and ZINCRBY.

import { ReplyError, replyErrors } from '../base/errors.js'
import type { ZsetLimits, ZsetValue } from '../types/zset/zset-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import { createZset, zsetLimits, zsetToWrite } from './zset-store.js'

const NAN_RESULT = 'ERR resulting score is not a number (NaN)'

export interface AddOptions {
  readonly key: string
  /** NX: members that are there stay as they are. */
  readonly onlyNew: boolean
  /** XX: no member is added. */
  readonly onlyOld: boolean
  /** GT: scores only grow. */
  readonly onlyUp: boolean
  /** LT: scores only shrink. */
  readonly onlyDown: boolean
  /** CH: changed members are counted too. */
  readonly countChanged: boolean
  /** INCR: the one score is added to the member's. */
  readonly increment: boolean
  readonly scores: readonly number[]
  readonly members: readonly string[]
}

const NO_SCORES: readonly number[] = []
const NO_MEMBERS: readonly string[] = []

/** What is to be added to `key`, with nothing asked for yet. */
export function newAddOptions(key: string, increment = false) {
  return {
    key,
    onlyNew: false,
    onlyOld: false,
    onlyUp: false,
    onlyDown: false,
    countChanged: false,
    increment,
    scores: NO_SCORES,
    members: NO_MEMBERS,
  }
}

function parseAdd(args: Args, isIncrement: boolean): AddOptions {
  const options = newAddOptions(args.key(), isIncrement)
  for (;;) {
    if (args.take('NX')) options.onlyNew = true
    else if (args.take('XX')) options.onlyOld = true
    else if (args.take('CH')) options.countChanged = true
    else if (args.take('INCR')) options.increment = true
    else if (args.take('GT')) options.onlyUp = true
    else if (args.take('LT')) options.onlyDown = true
    else break
  }
  const { onlyNew, onlyOld, onlyUp, onlyDown, increment } = options
  if (args.remaining === 0 || args.remaining % 2 === 1) throw new ReplyError(replyErrors.syntax)
  if (onlyNew && onlyOld) throw new ReplyError('ERR XX and NX options at the same time are not compatible')
  if ((onlyUp && onlyNew) || (onlyDown && onlyNew) || (onlyUp && onlyDown)) {
    throw new ReplyError('ERR GT, LT, and/or NX options at the same time are not compatible')
  }
  if (increment && args.remaining > 2) {
    throw new ReplyError('ERR INCR option supports a single increment-element pair')
  }
  // One pair is what most bring, see Args.texts().
  if (args.remaining === 2) {
    options.scores = [args.double()]
    options.members = [args.text()]
    return options
  }
  const scores: number[] = []
  const members: string[] = []
  while (args.remaining > 0) {
    scores.push(args.double())
    members.push(args.text())
  }
  options.scores = scores
  options.members = members
  return options
}

const enum Outcome {
  /** The options forbade it. */
  Refused,
  /** The member had that score already. */
  Same,
  Updated,
  Added,
}

/** Adds members or updates them under the options of one command; makes the sorted set when there is none. */
class Adder {
  added = 0
  updated = 0
  /** The score the last member has now. */
  score = 0

  constructor(
    readonly ctx: CommandContext,
    readonly options: AddOptions,
    public zset: ZsetValue | undefined,
    readonly limits: ZsetLimits,
  ) {}

  add(member: string, score: number): Outcome {
    const { options } = this
    const old = this.zset?.scoreOf(member)
    this.score = score
    if (old === undefined) {
      if (options.onlyOld) return Outcome.Refused
      this.zset ??= createZset(this.ctx, options.key)
      this.zset.set(member, score, undefined, this.limits)
      this.added++
      return Outcome.Added
    }
    if (options.onlyNew) return Outcome.Refused
    if (options.increment) {
      this.score = old + score
      if (this.score !== this.score) throw new ReplyError(NAN_RESULT)
    }
    if (options.onlyUp && this.score <= old) return Outcome.Refused
    if (options.onlyDown && this.score >= old) return Outcome.Refused
    if (this.score === old) return Outcome.Same
    this.zset!.set(member, this.score, old, this.limits)
    this.updated++
    return Outcome.Updated
  }
}

export function runAdd(ctx: CommandContext, options: AddOptions): void {
  const { scores, members, increment, key } = options
  const adder = new Adder(ctx, options, zsetToWrite(ctx, key), zsetLimits(ctx))
  let outcome = Outcome.Refused
  for (let i = 0; i < members.length; i++) outcome = adder.add(members[i], scores[i])
  const { added, updated } = adder
  if (!increment) ctx.reply.integer(options.countChanged ? added + updated : added)
  else if (outcome === Outcome.Refused) ctx.reply.nullBulk()
  else ctx.reply.double(adder.score)
  if (added + updated === 0) return
  ctx.changed(added + updated)
  ctx.touched(key)
  ctx.notify('z', increment ? 'zincr' : 'zadd', key)
}

const zadd = defineCommand({
  name: 'zadd',
  arity: -4,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  categories: ['sortedset'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'sorted-set',
  since: '1.2.0',
  summary: 'Adds members with scores to a sorted set, or gives those that are there other scores.',
  complexity: 'O(log N) for each member',
  parse: (args: Args) => parseAdd(args, false),
  run: runAdd,
})

const zincrby = defineCommand({
  name: 'zincrby',
  arity: 4,
  flags: Flag.Write | Flag.DenyOom | Flag.Fast,
  categories: ['sortedset'],
  keys: keysAt(['RW', 'access', 'update'], 1),
  group: 'sorted-set',
  since: '1.2.0',
  summary: 'Adds a number to the score of a member, which begins at 0.',
  complexity: 'O(log N)',
  parse: (args: Args) => parseAdd(args, true),
  run: runAdd,
})

export const zsetAdders: readonly CommandSpec<never>[] = [zadd, zincrby]
