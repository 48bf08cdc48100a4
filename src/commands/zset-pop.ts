// ZPOPMIN, ZPOPMAX, ZMPOP, and their blocking kin. What a blocked client takes is journaled as the ZPOPMIN or ZPOPMAX
// that takes the same. Uses: zset-remove (removal), blocking-timeout.

import { ReplyError, replyErrors } from '../base/errors.js'
import type { Reply } from '../resp/reply.js'
import type { ZsetValue } from '../types/zset/zset-value.js'
import type { Args } from './args.js'
import { takeTimeout } from './blocking-timeout.js'
import type { CommandContext, Wait } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import { replyMember, replyMembersHead } from './zset-range.js'
import { removeRanks } from './zset-remove.js'
import { zsetToWrite } from './zset-store.js'

type End = 'min' | 'max'

const MUST_BE_POSITIVE = 'ERR value is out of range, must be positive'
const MUST_HAVE_KEYS = 'ERR numkeys should be greater than 0'
const MUST_HAVE_COUNT = 'ERR count should be greater than 0'

/** Visits up to `count` members from one end and removes them. */
function take(
  ctx: CommandContext,
  key: string,
  zset: ZsetValue,
  end: End,
  count: number,
  visit: (member: string, score: number) => void,
): void {
  const size = zset.count
  const taken = Math.min(count, size)
  if (end === 'min') {
    zset.each(visit, 0, taken)
    removeRanks(ctx, key, zset, 0, taken, 'zpopmin')
  } else {
    zset.eachDown(visit, size - taken, size)
    removeRanks(ctx, key, zset, size - taken, size, 'zpopmax')
  }
}

interface PopOptions {
  readonly key: string
  /** Undefined when not given: then the answer is one flat pair. */
  readonly count: number | undefined
}

function parsePop(args: Args): PopOptions {
  const key = args.key()
  if (args.remaining === 0) return { key, count: undefined }
  if (args.remaining > 1) throw new ReplyError(replyErrors.syntax)
  const count = args.integer(MUST_BE_POSITIVE)
  if (count < 0) throw new ReplyError(MUST_BE_POSITIVE)
  return { key, count }
}

function runPop(ctx: CommandContext, end: End, { key, count }: PopOptions): void {
  const { reply } = ctx
  const zset = zsetToWrite(ctx, key)
  if (zset === undefined || count === 0) return reply.array(0)
  if (count === undefined) {
    reply.array(2)
    take(ctx, key, zset, end, 1, (member, score) => {
      reply.latin1(member)
      reply.double(score)
    })
    return ctx.changed()
  }
  const taken = Math.min(count, zset.count)
  replyMembersHead(reply, taken, true)
  take(ctx, key, zset, end, taken, (member, score) => replyMember(reply, member, score, true))
  ctx.changed(taken)
}

function popping(end: End, summary: string): CommandSpec<never> {
  return defineCommand({
    name: `zpop${end}`,
    arity: -2,
    flags: Flag.Write | Flag.Fast,
    categories: ['sortedset'],
    keys: keysAt(['RW', 'access', 'delete'], 1),
    group: 'sorted-set',
    since: '5.0.0',
    summary,
    complexity: 'O(log N) for each member taken',
    parse: parsePop,
    run: (ctx, options) => runPop(ctx, end, options),
  })
}

/** What a pop from several keys takes, and how it answers. */
abstract class KeysPop {
  constructor(
    readonly keys: readonly string[],
    readonly end: End,
    readonly count: number,
  ) {}

  /** Begins the reply for `taken` members of `key`. */
  protected abstract replyHead(reply: Reply, key: string, taken: number): void
  protected abstract replyPair(reply: Reply, member: string, score: number): void
  protected abstract effect(ctx: CommandContext, key: string, taken: number): void

  /** Pops from the first key that has something; false, and nothing written, when none has. @throws ReplyError */
  serveFirst(ctx: CommandContext): boolean {
    for (const key of this.keys) {
      const zset = zsetToWrite(ctx, key)
      if (zset === undefined) continue
      this.serve(ctx, key, zset)
      return true
    }
    return false
  }

  serve(ctx: CommandContext, key: string, zset: ZsetValue): void {
    const { reply } = ctx
    const taken = Math.min(this.count, zset.count)
    this.replyHead(reply, key, taken)
    take(ctx, key, zset, this.end, taken, (member, score) => this.replyPair(reply, member, score))
    this.effect(ctx, key, taken)
  }
}

/** BZPOPMIN and BZPOPMAX: key, member, score. */
class OnePop extends KeysPop {
  constructor(keys: readonly string[], end: End) {
    super(keys, end, 1)
  }

  protected replyHead(reply: Reply, key: string): void {
    reply.array(3)
    reply.latin1(key)
  }

  protected replyPair(reply: Reply, member: string, score: number): void {
    reply.latin1(member)
    reply.double(score)
  }

  protected effect(ctx: CommandContext, key: string): void {
    ctx.effect(`ZPOP${this.end.toUpperCase()}`, key)
  }
}

/** ZMPOP and BZMPOP: key, array of pairs. */
class ManyPop extends KeysPop {
  protected replyHead(reply: Reply, key: string, taken: number): void {
    reply.array(2)
    reply.latin1(key)
    reply.array(taken)
  }

  protected replyPair(reply: Reply, member: string, score: number): void {
    reply.array(2)
    reply.latin1(member)
    reply.double(score)
  }

  protected effect(ctx: CommandContext, key: string, taken: number): void {
    ctx.effect(`ZPOP${this.end.toUpperCase()}`, key, taken)
  }
}

/** Waits for the first of its keys that becomes a sorted set. */
class PopWait implements Wait {
  readonly kind = 'zset'
  readonly keys: readonly string[]

  constructor(
    readonly pop: KeysPop,
    readonly timeoutMs: number,
  ) {
    this.keys = [...new Set(pop.keys)]
  }

  serve(ctx: CommandContext, key: string): boolean {
    const entry = ctx.db.peek(key)
    if (entry?.type !== 'zset') return false
    this.pop.serve(ctx, key, entry.value as ZsetValue)
    return true
  }

  onTimeout(reply: Reply): void {
    reply.nullArray()
  }
}

interface BlockingPop {
  readonly pop: KeysPop
  readonly timeoutMs: number
}

function runBlocking(ctx: CommandContext, { pop, timeoutMs }: BlockingPop): void {
  if (pop.serveFirst(ctx)) return
  if (ctx.mayBlock) ctx.block(new PopWait(pop, timeoutMs))
  else ctx.reply.nullArray()
}

function parseBlocking(args: Args, end: End): BlockingPop {
  const first = args.at
  args.at = args.request.argc - 1
  const timeoutMs = takeTimeout(args)
  args.at = first
  const keys: string[] = []
  while (args.remaining > 1) keys.push(args.key())
  return { pop: new OnePop(keys, end), timeoutMs }
}

function blocking(end: End, summary: string): CommandSpec<never> {
  return defineCommand({
    name: `bzpop${end}`,
    arity: -3,
    flags: Flag.Write | Flag.NoScript | Flag.Blocking | Flag.Fast,
    categories: ['sortedset'],
    keys: keysAt(['RW', 'access', 'delete'], 1, -2),
    group: 'sorted-set',
    since: '5.0.0',
    summary,
    complexity: 'O(log N)',
    parse: (args: Args) => parseBlocking(args, end),
    run: runBlocking,
  })
}

/** `numkeys key [key ...] MIN|MAX [COUNT count]` to the end. */
function parseMany(args: Args): ManyPop {
  const keyCount = args.integer(MUST_HAVE_KEYS)
  if (keyCount < 1) throw new ReplyError(MUST_HAVE_KEYS)
  if (keyCount >= args.remaining) throw new ReplyError(replyErrors.syntax)
  const keys: string[] = []
  while (keys.length < keyCount) keys.push(args.key())
  const end = args.take('MIN') ? 'min' : args.take('MAX') ? 'max' : undefined
  if (end === undefined) throw new ReplyError(replyErrors.syntax)
  let count: number | undefined
  while (args.remaining > 1 && count === undefined && args.take('COUNT')) {
    count = args.integer(MUST_HAVE_COUNT)
    if (count < 1) throw new ReplyError(MUST_HAVE_COUNT)
  }
  args.end()
  return new ManyPop(keys, end, count ?? 1)
}

function keysFrom(numkeysAt: number) {
  const find = { keyNumIndex: 0, firstKey: 1, step: 1 }
  return [{ flags: ['RW', 'access', 'delete'], begin: { index: numkeysAt }, find }]
}

const zmpop = defineCommand({
  name: 'zmpop',
  arity: -4,
  flags: Flag.Write | Flag.MovableKeys,
  categories: ['sortedset'],
  keys: keysFrom(1),
  group: 'sorted-set',
  since: '7.0.0',
  summary: 'Takes the lowest or highest members of the first sorted set that has any.',
  complexity: 'O(K + M log N) for K keys and M members taken',
  parse: parseMany,
  run(ctx, pop) {
    if (!pop.serveFirst(ctx)) ctx.reply.nullArray()
  },
})

const bzmpop = defineCommand({
  name: 'bzmpop',
  arity: -5,
  flags: Flag.Write | Flag.Blocking | Flag.MovableKeys,
  categories: ['sortedset'],
  keys: keysFrom(2),
  group: 'sorted-set',
  since: '7.0.0',
  summary: 'As ZMPOP, and waits for one of the keys when none has a member.',
  complexity: 'O(K + M log N) for K keys and M members taken',
  parse: (args: Args) => ({ timeoutMs: takeTimeout(args), pop: parseMany(args) }),
  run: runBlocking,
})

export const zsetPops: readonly CommandSpec<never>[] = [
  popping('min', 'Takes the members with the lowest scores.'),
  popping('max', 'Takes the members with the highest scores.'),
  zmpop,
  blocking('min', 'Takes the member with the lowest score of the first key that has one; waits for it if need be.'),
  blocking('max', 'Takes the member with the highest score of the first key that has one; waits for it if need be.'),
  bzmpop,
]
