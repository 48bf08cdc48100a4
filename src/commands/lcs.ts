// LCS: the longest common subsequence of two strings, its length, or where it matches.

import { ReplyError, replyErrors } from '../base/errors.js'
import { commonSubsequence, commonSubsequenceBytes } from '../types/string/common-subsequence.js'
import type { CommonRange } from '../types/string/common-subsequence.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { stringOf } from './string-store.js'

interface LcsOptions {
  readonly length: boolean
  readonly index: boolean
  readonly matchLengths: boolean
  readonly matchLengthMin: number
}

function parseOptions(args: Args): LcsOptions {
  let length = false
  let index = false
  let matchLengths = false
  let matchLengthMin = 0
  while (args.remaining > 0) {
    if (args.take('IDX')) index = true
    else if (args.take('LEN')) length = true
    else if (args.take('WITHMATCHLEN')) matchLengths = true
    else if (args.remaining > 1 && args.take('MINMATCHLEN')) matchLengthMin = Math.max(0, args.integer())
    else throw new ReplyError(replyErrors.syntax)
  }
  if (index && length) throw new ReplyError('ERR If you want both the length and indexes, please just use IDX.')
  return { length, index, matchLengths, matchLengthMin }
}

const EMPTY = Buffer.alloc(0)

function bytesOf(ctx: CommandContext, key: string): Buffer {
  const entry = ctx.db.find(key)
  if (entry === undefined) return EMPTY
  if (entry.type !== 'string') throw new ReplyError('ERR The specified keys must contain string values')
  return stringOf(entry).bytes()
}

function replyRanges(ctx: CommandContext, ranges: readonly CommonRange[], options: LcsOptions): void {
  const wanted = ranges.filter(range => range.aTo - range.aFrom + 1 >= options.matchLengthMin)
  ctx.reply.array(wanted.length)
  for (const { aFrom, aTo, bFrom, bTo } of wanted) {
    ctx.reply.array(options.matchLengths ? 3 : 2)
    ctx.reply.array(2)
    ctx.reply.integer(aFrom)
    ctx.reply.integer(aTo)
    ctx.reply.array(2)
    ctx.reply.integer(bFrom)
    ctx.reply.integer(bTo)
    if (options.matchLengths) ctx.reply.integer(aTo - aFrom + 1)
  }
}

export const lcs = defineCommand({
  name: 'lcs',
  arity: -3,
  flags: Flag.ReadOnly,
  categories: ['string'],
  keys: keysAt(['RO', 'access'], 1, 2),
  group: 'string',
  since: '7.0.0',
  summary: 'Longest common subsequence of the string values of two keys.',
  complexity: 'O(N*M) in the lengths of the two strings',
  parse(args: Args) {
    const a = args.key()
    const b = args.key()
    // The types of the keys are judged before the options.
    try {
      return { a, b, options: parseOptions(args), fault: undefined }
    } catch (fault) {
      return { a, b, options: undefined, fault }
    }
  },
  run(ctx, { a, b, options, fault }) {
    const aBytes = bytesOf(ctx, a)
    const bBytes = bytesOf(ctx, b)
    if (options === undefined) throw fault
    if (commonSubsequenceBytes(aBytes.length, bBytes.length) > ctx.server.config.values.protoMaxBulkLen) {
      throw new ReplyError('ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len')
    }
    const common = commonSubsequence(aBytes, bBytes)
    if (options.length) return ctx.reply.integer(common.bytes.length)
    if (!options.index) return ctx.reply.bulk(common.bytes)
    ctx.reply.map(2)
    ctx.reply.latin1('matches')
    replyRanges(ctx, common.ranges, options)
    ctx.reply.latin1('len')
    ctx.reply.integer(common.bytes.length)
  },
})
