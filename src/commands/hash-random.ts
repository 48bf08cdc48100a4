// HRANDFIELD.

import { ReplyError, replyErrors } from '../base/errors.js'
import { randomBelow, randomRanks } from '../base/random.js'
import type { HashValue } from '../types/hash/hash-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { hashAt } from './hash-store.js'
import { parseRandomCount } from './set-read.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { replyContent } from './string-store.js'

/** Pairs are twice as many elements; Redis bounds the count so that their number fits 64 bits. */
const PAIRS_MAX = 2n ** 62n
/** Ranks drawn at a time, so that a huge count needs no huge array. */
const DRAWN_AT_ONCE = 4096

interface RandomOptions {
  readonly key: string
  /** Undefined for one field alone; negative ones allow repeats. */
  readonly count: number | undefined
  readonly withValues: boolean
}

function parse(args: Args): RandomOptions {
  const key = args.key()
  if (args.remaining === 0) return { key, count: undefined, withValues: false }
  const count = parseRandomCount(args)
  const withValues = args.take('WITHVALUES')
  if (args.remaining > 0) throw new ReplyError(replyErrors.syntax)
  if (withValues && Math.abs(count) >= PAIRS_MAX) throw new ReplyError('ERR value is out of range')
  return { key, count, withValues }
}

function replyField(ctx: CommandContext, hash: HashValue, field: string, withValues: boolean): void {
  const { reply } = ctx
  if (withValues && reply.protocol === 3) reply.array(2)
  reply.latin1(field)
  if (withValues) replyContent(reply, hash.get(field)!)
}

function replyFields(ctx: CommandContext, hash: HashValue, count: number, withValues: boolean): void {
  const size = hash.count
  const given = count < 0 ? -count : Math.min(count, size)
  ctx.reply.array(withValues && ctx.reply.protocol === 2 ? given * 2 : given)
  if (count >= size) {
    hash.each(field => replyField(ctx, hash, field, withValues))
  } else if (count >= 0) {
    for (const field of hash.atRanks(randomRanks(count, size))) replyField(ctx, hash, field, withValues)
  } else {
    for (let left = -count; left > 0 && ctx.session.outputFull !== true; left -= DRAWN_AT_ONCE) {
      const ranks = Array.from({ length: Math.min(left, DRAWN_AT_ONCE) }, () => randomBelow(size))
      for (const field of hash.atRanks(ranks)) replyField(ctx, hash, field, withValues)
    }
  }
}

export const hrandfield = defineCommand({
  name: 'hrandfield',
  arity: -2,
  flags: Flag.ReadOnly,
  categories: ['hash'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'hash',
  since: '6.2.0',
  summary: 'Random fields of a hash, with their values if asked.',
  complexity: 'O(log N) for each field',
  tips: ['nondeterministic_output'],
  parse,
  run(ctx, { key, count, withValues }) {
    const hash = hashAt(ctx, key)
    if (hash === undefined) {
      if (count === undefined) ctx.reply.nullBulk()
      else ctx.reply.array(0)
    } else if (count === undefined) {
      ctx.reply.latin1(hash.at(randomBelow(hash.count)))
    } else {
      replyFields(ctx, hash, count, withValues)
    }
  },
})
