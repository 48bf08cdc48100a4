// Client-side caching as clients ask for it: CLIENT TRACKING, CACHING, TRACKINGINFO and GETREDIR. What is remembered
// and who is told is exec/tracking's.

import { ReplyError, quoting, replyErrors } from '../base/errors.js'
import type { Args } from './args.js'
import { clientRow } from './client-row.js'
import type { CommandContext } from './context.js'
import type { Session, TrackingOptions, TrackingState } from './server.js'
import type { CommandSpec } from './spec.js'

interface Wish extends TrackingOptions {
  readonly on: boolean
  /** What is wrong with the words behind REDIRECT: an unknown client before them is the first mistake. */
  readonly fault: string | undefined
}

const ONE_REDIRECTION = 'ERR A client can only redirect to a single other client'
const NO_CLIENT = 'ERR The client ID you want redirect to does not exist'
const PREFIX_ALONE = 'ERR PREFIX option requires BCAST mode to be enabled'
const FIRST_OFF = 'before disabling tracking for this client, and then re-enabling it with a different mode.'
const BROADCAST_SWITCHED = `ERR You can't switch BCAST mode on/off ${FIRST_OFF}`
const OPT_SWITCHED = `ERR You can't switch OPTIN/OPTOUT mode ${FIRST_OFF}`
const BROADCAST_OPT = 'ERR OPTIN and OPTOUT are not compatible with BCAST'
const BOTH_OPT = "ERR You can't specify both OPTIN mode and OPTOUT mode"
const OVERLAP = 'Prefixes for a single client must not overlap.'
const NOT_CACHING =
  'ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled'
const NOT_OPT_IN = 'ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.'
const NOT_OPT_OUT = 'ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.'

function parseTracking(args: Args): Wish {
  const on = args.take('ON')
  const known = on || args.take('OFF')
  if (!known) args.text()
  const prefixes: string[] = []
  const wish = { on, redirect: 0, broadcast: false, optIn: false, optOut: false, noLoop: false, prefixes }
  while (args.remaining > 0) {
    if (args.remaining > 1 && args.take('REDIRECT')) {
      if (wish.redirect !== 0) return { ...wish, fault: ONE_REDIRECTION }
      wish.redirect = args.integer()
      // There is no client 0.
      if (wish.redirect === 0) throw new ReplyError(NO_CLIENT)
    } else if (args.take('BCAST')) wish.broadcast = true
    else if (args.take('OPTIN')) wish.optIn = true
    else if (args.take('OPTOUT')) wish.optOut = true
    else if (args.take('NOLOOP')) wish.noLoop = true
    else if (args.remaining > 1 && args.take('PREFIX')) prefixes.push(args.text())
    else return { ...wish, fault: replyErrors.syntax }
  }
  return { ...wish, fault: known ? undefined : replyErrors.syntax }
}

/** Why the options do not go together, or with what the client has now. */
function contradiction(wish: Wish, now: TrackingState | undefined): string | undefined {
  const { broadcast, optIn, optOut, prefixes } = wish
  if (!broadcast && prefixes.length > 0) return PREFIX_ALONE
  if (now !== undefined && now.broadcast !== broadcast) return BROADCAST_SWITCHED
  if (broadcast && (optIn || optOut)) return BROADCAST_OPT
  if (optIn && optOut) return BOTH_OPT
  if ((optIn && now?.optOut) || (optOut && now?.optIn)) return OPT_SWITCHED
  return broadcast ? overlap(prefixes, now) : undefined
}

function overlap(prefixes: readonly string[], now: TrackingState | undefined): string | undefined {
  const existing = now === undefined ? [] : [...now.prefixes].sort()
  for (const [i, prefix] of prefixes.entries()) {
    const old = existing.find(other => collide(prefix, other))
    if (old !== undefined) return quoting`ERR Prefix '${prefix}' overlaps with an existing prefix '${old}'. ${OVERLAP}`
    const other = prefixes.slice(i + 1).find(later => collide(prefix, later))
    if (other === undefined) continue
    return quoting`ERR Prefix '${prefix}' overlaps with another provided prefix '${other}'. ${OVERLAP}`
  }
  return undefined
}

function collide(a: string, b: string): boolean {
  return a.startsWith(b) || b.startsWith(a)
}

function track({ server, session, reply }: CommandContext, wish: Wish): void {
  if (wish.redirect !== 0 && server.session(wish.redirect) === undefined) throw new ReplyError(NO_CLIENT)
  if (wish.fault !== undefined) throw new ReplyError(wish.fault)
  if (wish.on) {
    const fault = contradiction(wish, session.tracking)
    if (fault !== undefined) throw new ReplyError(fault)
    server.tracking.begin(session, wish)
  } else server.tracking.end(session)
  reply.ok()
}

function cache({ session, reply }: CommandContext, yes: boolean | undefined): void {
  const { tracking } = session
  if (tracking === undefined) throw new ReplyError(NOT_CACHING)
  if (yes === undefined) throw new ReplyError(replyErrors.syntax)
  if (yes && !tracking.optIn) throw new ReplyError(NOT_OPT_IN)
  if (!yes && !tracking.optOut) throw new ReplyError(NOT_OPT_OUT)
  tracking.caching = true
  reply.ok()
}

/** Where invalidations go: -1 when the client does not track, 0 to itself. */
export function redirectionOf({ tracking }: Session): number {
  return tracking === undefined ? -1 : tracking.redirect
}

function flagsOf(tracking: TrackingState | undefined): string[] {
  if (tracking === undefined) return ['off']
  const flags = ['on']
  if (tracking.broadcast) flags.push('bcast')
  if (tracking.optIn) flags.push('optin')
  if (tracking.optIn && tracking.caching) flags.push('caching-yes')
  if (tracking.optOut) flags.push('optout')
  if (tracking.optOut && tracking.caching) flags.push('caching-no')
  if (tracking.noLoop) flags.push('noloop')
  if (tracking.broken) flags.push('broken_redirect')
  return flags
}

function info({ session, reply }: CommandContext): void {
  const flags = flagsOf(session.tracking)
  const prefixes = session.tracking === undefined ? [] : [...session.tracking.prefixes].sort()
  reply.map(3)
  reply.latin1('flags')
  reply.set(flags.length)
  for (const flag of flags) reply.latin1(flag)
  reply.latin1('redirect')
  reply.integer(redirectionOf(session))
  reply.latin1('prefixes')
  reply.array(prefixes.length)
  for (const prefix of prefixes) reply.latin1(prefix)
}

export const clientTrackingRows: readonly CommandSpec<never>[] = [
  clientRow('tracking', {
    arity: -3,
    since: '6.0.0',
    summary: 'Whether this connection is told of changes of keys that it read, or of keys with a prefix.',
    complexity: 'O(1); O(N) in the number of prefixes',
    parse: parseTracking,
    run: track,
  }),
  clientRow('caching', {
    arity: 3,
    since: '6.0.0',
    summary: 'Whether the keys that the next command reads are tracked, in the modes OPTIN and OPTOUT.',
    parse(args) {
      if (args.take('YES')) return true
      return args.take('NO') ? false : undefined
    },
    run: cache,
  }),
  clientRow('trackinginfo', {
    arity: 2,
    since: '6.2.0',
    summary: 'How this connection tracks keys.',
    parse: () => undefined,
    run: info,
  }),
  clientRow('getredir', {
    arity: 2,
    since: '6.0.0',
    summary: 'The connection that is told in place of this one: 0 for none, -1 when this one does not track.',
    parse: () => undefined,
    run: ({ session, reply }) => reply.integer(redirectionOf(session)),
  }),
]
