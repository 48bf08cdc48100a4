// CLIENT KILL: the old form (an address) and the filters of the new one.

import { ReplyError, quoting, replyErrors } from '../base/errors.js'
import type { Args } from './args.js'
import { clientTypeOf, typeOfSession } from './client-line.js'
import type { ClientType } from './client-line.js'
import type { CommandContext } from './context.js'
import type { Session } from './server.js'

export interface KillFilter {
  /** CLIENT KILL <address>: an error when there is none, OK instead of a count. */
  readonly oldForm: boolean
  id?: number
  type?: ClientType
  address?: string
  localAddress?: string
  user?: string
  skipMe: boolean
}

export function parseKill(args: Args): KillFilter {
  if (args.remaining === 1) return { oldForm: true, address: args.text(), skipMe: false }
  const filter: KillFilter = { oldForm: false, skipMe: true }
  while (args.remaining > 0) {
    if (args.remaining < 2) throw new ReplyError(replyErrors.syntax)
    if (args.take('ID')) {
      const error = 'ERR client-id should be greater than 0'
      filter.id = args.integer(error)
      if (filter.id < 1) throw new ReplyError(error)
    } else if (args.take('TYPE')) {
      const word = args.text()
      filter.type = clientTypeOf(word)
      if (filter.type === undefined) throw new ReplyError(quoting`ERR Unknown client type '${word}'`)
    } else if (args.take('ADDR')) {
      filter.address = args.text()
    } else if (args.take('LADDR')) {
      filter.localAddress = args.text()
    } else if (args.take('USER')) {
      filter.user = args.text()
    } else if (args.take('SKIPME')) {
      if (args.take('YES')) filter.skipMe = true
      else if (args.take('NO')) filter.skipMe = false
      else throw new ReplyError(replyErrors.syntax)
    } else {
      throw new ReplyError(replyErrors.syntax)
    }
  }
  return filter
}

export function kill(ctx: CommandContext, filter: KillFilter): void {
  const { user } = filter
  if (user !== undefined && ctx.server.users.get(user) === undefined) {
    throw new ReplyError(quoting`ERR No such user '${user}'`)
  }
  let killed = 0
  let killedMe = false
  // Closing takes a session out of the collection: it must not be walked meanwhile.
  const sessions = Array.from(ctx.server.sessions())
  for (const session of sessions) {
    if (session.closing || !selects(filter, session)) continue
    if (session.id === ctx.session.id) {
      if (filter.skipMe) continue
      killedMe = true
    } else {
      session.close('now')
    }
    killed++
  }
  if (filter.oldForm && killed === 0) throw new ReplyError('ERR No such client')
  if (filter.oldForm) ctx.reply.ok()
  else ctx.reply.integer(killed)
  if (killedMe) ctx.session.close('after-reply')
}

function selects(filter: KillFilter, session: Session): boolean {
  return (
    (filter.id === undefined || filter.id === session.id) &&
    (filter.user === undefined || filter.user === session.account.name) &&
    (filter.type === undefined || filter.type === typeOfSession(session)) &&
    (filter.address === undefined || filter.address === session.address) &&
    (filter.localAddress === undefined || filter.localAddress === session.localAddress)
  )
}
