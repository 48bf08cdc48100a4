// The option grammar of SET and GETEX: condition, expiry, GET, KEEPTTL, PERSIST, each pair that contradicts itself a
// syntax error. Pure: times become absolute when the command runs.

import { ReplyError, replyErrors } from '../base/errors.js'
import type { Args } from './args.js'
import type { ExpireTime } from './expire-time.js'

export interface StringOptions {
  nx: boolean
  xx: boolean
  get: boolean
  keepTtl: boolean
  persist: boolean
  expire: ExpireTime | undefined
  /** What is wrong with the number of the expiry; GETEX tells it after it has found the key. */
  fault: ReplyError | undefined
}

type ExpireWord = 'EX' | 'PX' | 'EXAT' | 'PXAT'
const EXPIRE_WORDS: readonly ExpireWord[] = ['EX', 'PX', 'EXAT', 'PXAT']

/** The rest of the arguments. The number of an expiry is read last: a wrong word elsewhere is the earlier error. */
export function parseStringOptions(args: Args, of: 'set' | 'getex'): StringOptions {
  const options: StringOptions = {
    nx: false,
    xx: false,
    get: false,
    keepTtl: false,
    persist: false,
    expire: undefined,
    fault: undefined,
  }
  let word: ExpireWord | undefined
  let timeAt = 0
  while (args.remaining > 0) {
    const next = EXPIRE_WORDS.find(one => args.peekIs(one))
    if (next !== undefined && args.remaining > 1 && (word ?? next) === next && !options.keepTtl && !options.persist) {
      word = next
      timeAt = args.at + 1
      args.at += 2
    } else if (!takeWord(args, options, of, word !== undefined)) {
      throw new ReplyError(replyErrors.syntax)
    }
  }
  if (word === undefined) return options
  try {
    options.expire = readTime(args, timeAt, word)
  } catch (error) {
    if (of === 'set' || !(error instanceof ReplyError)) throw error
    options.fault = error
  }
  return options
}

function takeWord(args: Args, options: StringOptions, of: 'set' | 'getex', expires: boolean): boolean {
  if (of === 'getex') {
    if (expires || !args.take('PERSIST')) return false
    options.persist = true
    return true
  }
  if (!options.xx && args.take('NX')) options.nx = true
  else if (!options.nx && args.take('XX')) options.xx = true
  else if (args.take('GET')) options.get = true
  else if (!expires && args.take('KEEPTTL')) options.keepTtl = true
  else return false
  return true
}

function readTime(args: Args, at: number, word: ExpireWord): ExpireTime {
  const end = args.at
  args.at = at
  const value = args.int64()
  args.at = end
  return { value, unit: word.startsWith('E') ? 's' : 'ms', absolute: word.endsWith('AT') }
}
