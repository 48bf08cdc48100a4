// The clause of XADD and XTRIM that says what goes: MAXLEN or MINID, '=' or '~', a threshold, LIMIT, and what becomes
// of references to it: KEEPREF, DELREF or ACKED. Its options may stand in any order and between others, so the clause
// takes them one by one. Used by: stream-write.

import { ReplyError, replyErrors } from '../base/errors.js'
import { streamErrors } from '../base/stream-errors.js'
import { ID_MIN } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import type { Request } from '../resp/request.js'
import { dropReferencesToTrimmed, findUnreferenced, trimUnreferenced } from '../types/stream/stream-api.js'
import type { NodeLimits, ReferencePolicy, Stream, Trim, Trimmable } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import { COUNT_ALL, takeId } from './stream-arguments.js'
import { takePolicy } from './stream-reference-policy.js'

/** Without LIMIT an approximate trim removes at most so many full nodes, for the sake of everybody else's latency. */
const LIMIT_DEFAULT_NODES = 100
const LIMIT_DEFAULT_UNBOUNDED_NODES = 10_000
const LIMIT_DEFAULT_MAX = 1_000_000
const LIMIT_ABSENT = -1

export class TrimClause {
  #by: 'none' | 'maxlen' | 'minid' = 'none'
  #length = 0
  #id: StreamId = ID_MIN
  #approximate = false
  #limit = LIMIT_ABSENT
  #policy: ReferencePolicy | undefined

  /** KEEPREF unless another one was given. */
  get policy(): ReferencePolicy {
    return this.#policy ?? 'keep'
  }

  /** True when what a trim removes depends on the nodes of the stream and on the configuration. */
  get approximate(): boolean {
    return this.#approximate
  }

  /** Takes the next argument and its value if it is an option of the clause. @throws ReplyError */
  take(a: Args): boolean {
    if (this.#takePolicy(a)) return true
    if (a.remaining < 2) return false
    if (a.take('MAXLEN')) {
      this.#takeStrategy(a)
      const length = a.integer()
      if (length < 0) throw new ReplyError(streamErrors.maxlenNegative)
      this.#length = Math.min(length, COUNT_ALL)
      this.#by = 'maxlen'
    } else if (a.take('MINID')) {
      this.#takeStrategy(a)
      this.#id = takeId(a)
      this.#by = 'minid'
    } else if (a.take('LIMIT')) {
      const limit = a.integer()
      if (limit < 0) throw new ReplyError(streamErrors.limitNegative)
      this.#limit = Math.min(limit, COUNT_ALL)
    } else {
      return false
    }
    return true
  }

  #takePolicy(a: Args): boolean {
    const policy = takePolicy(a)
    if (policy === undefined) return false
    if (this.#policy !== undefined) throw new ReplyError(replyErrors.syntax)
    this.#policy = policy
    return true
  }

  #takeStrategy(a: Args): void {
    if (this.#by !== 'none') throw new ReplyError(streamErrors.twoStrategies)
    if (a.remaining < 2) return
    if (a.take('~')) this.#approximate = true
    else a.take('=')
  }

  /** To be called when all options are taken. @throws ReplyError */
  check(strategyNeeded: boolean): void {
    if (this.#by === 'none') {
      if (this.#limit > 0) throw new ReplyError(streamErrors.limitWithoutStrategy)
      if (strategyNeeded) throw new ReplyError(streamErrors.trimWithoutStrategy)
    }
    if (this.#limit !== LIMIT_ABSENT && !this.#approximate) throw new ReplyError(streamErrors.limitWithoutTilde)
  }

  /**
   * What has to be known before an entry is added to `stream`, for apply(); undefined when nothing has.
   * @throws PageMiss among very many groups
   */
  find(stream: Stream, limits: NodeLimits): Trimmable | undefined {
    return this.#sparesReferences(stream) ? findUnreferenced(stream, this.trim(limits), 1) : undefined
  }

  /** Without groups nothing can refer to an entry, and whole nodes may go. */
  #sparesReferences(stream: Stream): boolean {
    return this.#policy === 'acked' && this.#by !== 'none' && stream.groupCount > 0
  }

  /** Trims `stream` and returns how many entries went. @throws PageMiss as find(), when that was not called before */
  apply(stream: Stream, limits: NodeLimits, found?: Trimmable): number {
    if (this.#by === 'none') return 0
    const trim = this.trim(limits)
    if (this.#sparesReferences(stream)) return trimUnreferenced(stream, trim, found)
    const removed = stream.trim(trim)
    if (removed > 0 && this.#policy === 'drop') dropReferencesToTrimmed(stream)
    return removed
  }

  trim(limits: NodeLimits): Trim {
    const approximate = this.#approximate
    const limit = !approximate ? 0 : this.#limit === LIMIT_ABSENT ? defaultLimit(limits) : this.#limit
    return this.#by === 'maxlen'
      ? { by: 'maxlen', length: this.#length, approximate, limit }
      : { by: 'minid', id: this.#id, approximate, limit }
  }
}

function defaultLimit(limits: NodeLimits): number {
  if (limits.entriesMax === 0) return LIMIT_DEFAULT_UNBOUNDED_NODES
  return Math.min(limits.entriesMax * LIMIT_DEFAULT_NODES, LIMIT_DEFAULT_MAX)
}

/** How many arguments an option of XADD has that has nothing to do with what is trimmed. */
function otherOptionArgs(request: Request, at: number): number {
  if (request.is(at, 'IDMP')) return 3
  return request.is(at, 'IDMPAUTO') ? 2 : 1
}

/**
 * The options of an XADD, arguments [from, to), with an approximate clause made to remove exactly what it just removed,
 * whatever the configuration is at replay. The count of arguments stays, which the journal needs; that is why a LIMIT
 * stays too, as the 0 that means none, and with it the '~'.
 * @param length the stream's length after the trim, which lies between two of its nodes
 */
export function exactTrimOptions(request: Request, from: number, to: number, length: number): string[] {
  const options: string[] = []
  let limited = false
  for (let i = from; i < to; i += otherOptionArgs(request, i)) limited ||= request.is(i, 'LIMIT')
  for (let i = from; i < to; i++) {
    if (request.is(i, 'LIMIT')) {
      options.push('LIMIT', '0')
      i++
    } else if (request.is(i, 'MAXLEN') || request.is(i, 'MINID')) {
      options.push('MAXLEN', limited ? '~' : '=', String(length))
      i += 2
    } else {
      const args = otherOptionArgs(request, i)
      for (let end = i + args; i < end; i++) options.push(request.text(i))
      i--
    }
  }
  return options
}
