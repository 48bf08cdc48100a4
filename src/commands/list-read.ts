// LLEN, LINDEX, LRANGE, LPOS.

import { ReplyError } from '../base/errors.js'
import type { ListValue } from '../types/list/list-value.js'
import type { Args } from './args.js'
import { absolute, listAt } from './list-store.js'
import { writeRange } from './list-pop.js'
import { LONG_REPLY_BYTES, ReadReply } from './long-reply.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec } from './spec.js'
import { attempt, granted } from './stream-arguments.js'

const llen = defineCommand({
  name: 'llen',
  arity: 2,
  flags: Flag.ReadOnly | Flag.Fast,
  categories: ['list'],
  keys: keysAt(['RO'], 1),
  group: 'list',
  since: '1.0.0',
  summary: 'Number of elements in a list.',
  complexity: 'O(1)',
  parse: (args: Args) => args.key(),
  run: (ctx, key) => ctx.reply.integer(listAt(ctx, key)?.count ?? 0),
})

const lindex = defineCommand({
  name: 'lindex',
  arity: 3,
  flags: Flag.ReadOnly,
  categories: ['list'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'list',
  since: '1.0.0',
  summary: 'The element at an index of a list; negative ones count from the tail.',
  complexity: 'O(log N)',
  // Redis looks at the key before it complains about the index.
  parse: (args: Args) => ({ key: args.key(), index: attempt(args, takeIndex) }),
  run(ctx, { key, index }) {
    const list = listAt(ctx, key)
    if (list === undefined) return ctx.reply.nullBulk()
    const at = absolute(granted(index), list.count)
    if (at < 0 || at >= list.count) ctx.reply.nullBulk()
    else ctx.reply.bulk(list.at(at))
  },
})

export function takeIndex(args: Args): number {
  return args.integer()
}

const lrange = defineCommand({
  name: 'lrange',
  arity: 4,
  flags: Flag.ReadOnly,
  categories: ['list'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'list',
  since: '1.0.0',
  summary: 'Elements between two indexes of a list, both included; negative ones count from the tail.',
  complexity: 'O(log N) to find the start, then O(1) for each element',
  parse: (args: Args) => ({ key: args.key(), start: args.integer(), stop: args.integer() }),
  run(ctx, { key, start, stop }) {
    const list = listAt(ctx, key)
    if (list === undefined) return ctx.reply.array(0)
    const { count } = list
    const from = Math.max(absolute(start, count), 0)
    const to = Math.min(absolute(stop, count) + 1, count)
    const length = Math.max(to - from, 0)
    ctx.reply.array(length)
    // Judged by the mean element: an exact sum would cost a pass over the descriptors.
    const isLong = length * (list.contentBytes / count) > LONG_REPLY_BYTES && ctx.mayStream
    const read = isLong ? list.longRead(from, to) : undefined
    if (read !== undefined) ctx.stream(new ReadReply(read, reply => value => reply.bulk(value)))
    else writeRange(ctx.reply, list, from, to, false)
  },
})

const RANK_ZERO =
  "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start " +
  'from the end of the list'
const COUNT_NEGATIVE = "ERR COUNT can't be negative"
const MAXLEN_NEGATIVE = "ERR MAXLEN can't be negative"
/** Redis cannot negate it and passes nothing over. */
const RANK_MIN = -(2n ** 63n)

interface PositionOptions {
  readonly key: string
  readonly value: Buffer
  /** Matches passed over, and whether the search begins at the tail. */
  skip: number
  backwards: boolean
  /** Matches wanted; undefined for the first alone, as a number and not an array. */
  count: number | undefined
  /** Elements looked at. */
  lengthMax: number
}

function parsePosition(args: Args): PositionOptions {
  const options: PositionOptions = {
    key: args.key(),
    value: args.bytes(),
    skip: 0,
    backwards: false,
    count: undefined,
    lengthMax: Infinity,
  }
  while (args.remaining > 1) {
    if (args.take('RANK')) {
      const rank = args.int64()
      if (rank === 0) throw new ReplyError(RANK_ZERO)
      options.backwards = rank < 0
      options.skip = rank === RANK_MIN ? 0 : Math.abs(Number(rank)) - 1
    } else if (args.take('COUNT')) {
      options.count = unlimitedByZero(args.integer(COUNT_NEGATIVE), COUNT_NEGATIVE)
    } else if (args.take('MAXLEN')) {
      options.lengthMax = unlimitedByZero(args.integer(MAXLEN_NEGATIVE), MAXLEN_NEGATIVE)
    } else {
      break
    }
  }
  args.end()
  return options
}

function unlimitedByZero(value: number, negative: string): number {
  if (value < 0) throw new ReplyError(negative)
  return value === 0 ? Infinity : value
}

/** Indexes of the elements looked for, in the order met. */
function positionsIn(list: ListValue, { value, skip, backwards, count, lengthMax }: PositionOptions): number[] {
  const wanted = count ?? 1
  const length = list.count
  const from = backwards ? Math.max(length - lengthMax, 0) : 0
  const to = backwards ? length : Math.min(lengthMax, length)
  const found: number[] = []
  let before = backwards ? to : from
  let toSkip = skip
  list.visit(from, to, backwards, (page, first, end) => {
    const pieces = end - first
    if (backwards) before -= pieces
    for (let k = 0; k < pieces && found.length < wanted; k++) {
      const i = backwards ? pieces - 1 - k : k
      if (!page.is(first + i, value)) continue
      if (toSkip > 0) toSkip--
      else found.push(before + i)
    }
    if (!backwards) before += pieces
    return found.length >= wanted
  })
  return found
}

const lpos = defineCommand<PositionOptions>({
  name: 'lpos',
  arity: -3,
  flags: Flag.ReadOnly,
  categories: ['list'],
  keys: keysAt(['RO', 'access'], 1),
  group: 'list',
  since: '6.0.6',
  summary: 'Indexes at which a list has an element.',
  complexity: 'O(N) for N elements looked at',
  parse: parsePosition,
  run(ctx, options) {
    const list = listAt(ctx, options.key)
    const found = list === undefined ? [] : positionsIn(list, options)
    if (options.count !== undefined) {
      ctx.reply.array(found.length)
      for (const index of found) ctx.reply.integer(index)
    } else if (found.length > 0) {
      ctx.reply.integer(found[0])
    } else {
      ctx.reply.nullBulk()
    }
  },
})

export const listReaders: readonly CommandSpec<never>[] = [llen, lindex, lrange, lpos]
