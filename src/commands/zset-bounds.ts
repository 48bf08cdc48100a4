// Which members a range means: by rank, by score or by name. Each kind is read from two arguments and turned into a
// window of ranks. Used by: zset-range, zset-remove.

import { ReplyError } from '../base/errors.js'
import { readDouble } from '../base/numbers.js'
import type { ZsetValue } from '../types/zset/zset-value.js'
import type { Args } from './args.js'

const OPENING_PARENTHESIS = 40
const NOT_A_FLOAT = 'ERR min or max is not a float'
const NOT_A_BOUND = 'ERR min or max not valid string range item'

/** Ranks [from, to), counted from the lowest; nothing unless from < to. */
export interface Window {
  readonly from: number
  readonly to: number
}

export interface MemberRange {
  windowIn(zset: ZsetValue): Window
}

/** Ranks from `start` to `end`, both included; negative ones count from behind. */
class RankRange implements MemberRange {
  constructor(
    readonly start: number,
    readonly end: number,
    readonly isDescending: boolean,
  ) {}

  windowIn(zset: ZsetValue): Window {
    const { count } = zset
    const start = Math.max(this.start < 0 ? this.start + count : this.start, 0)
    const end = Math.min(this.end < 0 ? this.end + count : this.end, count - 1)
    return this.isDescending ? { from: count - 1 - end, to: count - start } : { from: start, to: end + 1 }
  }
}

interface ScoreBound {
  readonly score: number
  readonly isExclusive: boolean
}

class ScoreRange implements MemberRange {
  constructor(
    readonly min: ScoreBound,
    readonly max: ScoreBound,
  ) {}

  windowIn(zset: ZsetValue): Window {
    return {
      from: zset.countBelowScore(this.min.score, this.min.isExclusive),
      to: zset.countBelowScore(this.max.score, !this.max.isExclusive),
    }
  }
}

/** A member, or one of the ends of them all. */
type NameBound = 'lowest' | 'highest' | { readonly member: string; readonly isExclusive: boolean }

class NameRange implements MemberRange {
  constructor(
    readonly min: NameBound,
    readonly max: NameBound,
  ) {}

  windowIn(zset: ZsetValue): Window {
    return { from: countBefore(zset, this.min, true), to: countBefore(zset, this.max, false) }
  }
}

/** Number of members before a bound; the members that equal it lie before an exclusive minimum, say. */
function countBefore(zset: ZsetValue, bound: NameBound, isMin: boolean): number {
  if (bound === 'lowest') return 0
  if (bound === 'highest') return zset.count
  return zset.countBelowMember(bound.member, bound.isExclusive === isMin)
}

/** `start end` @throws ReplyError */
export function parseRankRange(args: Args, isDescending = false): MemberRange {
  return new RankRange(args.integer(), args.integer(), isDescending)
}

/** `min max`, or with `isDescending` `max min`. @throws ReplyError */
export function parseScoreRange(args: Args, isDescending = false): MemberRange {
  const first = scoreBound(args)
  const second = scoreBound(args)
  return isDescending ? new ScoreRange(second, first) : new ScoreRange(first, second)
}

/** As parseScoreRange(), by name. @throws ReplyError */
export function parseNameRange(args: Args, isDescending = false): MemberRange {
  const first = nameBound(args)
  const second = nameBound(args)
  return isDescending ? new NameRange(second, first) : new NameRange(first, second)
}

function scoreBound(args: Args): ScoreBound {
  const { buffer, starts, lengths } = args.request
  const start = starts[args.at]
  const to = start + lengths[args.at]
  args.at++
  const isExclusive = start < to && buffer[start] === OPENING_PARENTHESIS
  const from = isExclusive ? start + 1 : start
  const score = readDouble(buffer, from, to) ?? looseDouble(buffer.latin1Slice(from, to))
  if (score === undefined) throw new ReplyError(NOT_A_FLOAT)
  return { score, isExclusive }
}

/**
 * What readDouble() refuses and Redis takes as a bound, as C's strtod does: nothing at all, blanks before a number, a
 * NUL and anything after one, numbers beyond a double's range.
 */
function looseDouble(text: string): number | undefined {
  const end = text.indexOf('\0')
  const word = end < 0 ? text : text.slice(0, end)
  if (word === '') return 0
  const number = word.replace(/^[ \t\n\v\f\r]+/, '')
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(number)) return Number(number)
  return readDouble(Buffer.from(number, 'latin1'), 0, number.length)
}

function nameBound(args: Args): NameBound {
  const text = args.text()
  if (text === '-') return 'lowest'
  if (text === '+') return 'highest'
  const isExclusive = text.startsWith('(')
  if (!isExclusive && !text.startsWith('[')) throw new ReplyError(NOT_A_BOUND)
  return { member: text.slice(1), isExclusive }
}
