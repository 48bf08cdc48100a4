// What MULTI, EXEC, DISCARD, WATCH and UNWATCH do for the session whose command is running. EXEC runs its commands one
// after another inside its own: one frozen clock, one journal record, and nobody is served in between.

import { ReplyError } from '../base/errors.js'
import { logDenial } from '../commands/acl-log.js'
import { Denied } from '../commands/acl-selector.js'
import type { Transaction } from '../commands/context.js'
import type { Server, Stats } from '../commands/server.js'
import type { TableRow } from '../commands/table.js'
import type { Request } from '../resp/request.js'
import type { Keyspace } from '../types/keyspace.js'
import type { ExecContext } from './context.js'
import { TransactionQueue } from './multi.js'
import type { QueuedCommand } from './multi.js'
import type { ClientSession } from './session.js'
import type { WatchedKeys } from './watched-keys.js'

export interface TransactionHost {
  readonly server: Server
  readonly context: ExecContext
  readonly keyspace: Keyspace
  readonly watched: WatchedKeys
  /** Runs one command inside the running one and writes its reply. */
  callInside(row: TableRow, session: ClientSession, request: Request): void
}

export const EXEC_ABORT = 'EXECABORT Transaction discarded because of previous errors.'

const RULES_CHANGED =
  'NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. This command is ' +
  'no longer allowed for the following reason: '
const DENIED_AT_EXEC: Record<number, string> = {
  [Denied.Command]: 'no permission to execute the command or subcommand',
  [Denied.Key]: 'no permission to touch the specified keys',
  [Denied.Channel]: 'no permission to access one of the channels used as arguments',
}

export class Transactions implements Transaction {
  readonly #host: TransactionHost
  readonly #stats: Pick<Stats, 'totalErrorReplies'>

  constructor(host: TransactionHost, stats: Pick<Stats, 'totalErrorReplies'>) {
    this.#host = host
    this.#stats = stats
  }

  begin(): void {
    const session = this.#session
    if (session.multi !== undefined) throw new ReplyError('ERR MULTI calls can not be nested')
    session.multi = new TransactionQueue()
  }

  discard(): void {
    const session = this.#session
    if (session.multi === undefined) throw new ReplyError('ERR DISCARD without MULTI')
    this.forget(session)
  }

  /** Ends `session`'s transaction, if any, with nothing run. */
  forget(session: ClientSession): void {
    session.multi = undefined
    this.#host.watched.unwatch(session)
  }

  watch(keys: readonly string[]): void {
    const session = this.#session
    if (session.multi !== undefined) throw new ReplyError('ERR WATCH inside MULTI is not allowed')
    const db = this.#host.context.db
    for (const key of keys) this.#host.watched.watch(session, db.index, key, db.peek(key) !== undefined)
  }

  unwatch(): void {
    this.#host.watched.unwatch(this.#session)
  }

  exec(): void {
    const session = this.#session
    const multi = session.multi
    if (multi === undefined) throw new ReplyError('ERR EXEC without MULTI')
    // A watched key whose time has come is removed by the look, which marks its watchers.
    for (const { database, key } of session.watchedKeys) this.#host.keyspace.database(database).peek(key)
    const broken = session.watchBroken
    if (multi.aborted || broken) {
      this.forget(session)
      if (multi.aborted) throw new ReplyError(EXEC_ABORT)
      session.reply.nullArray()
      return
    }
    this.#host.watched.unwatch(session)
    this.#run(multi, session)
  }

  #run(multi: TransactionQueue, session: ClientSession): void {
    const context = this.#host.context
    const request = context.request
    const db = context.db
    const mayBlock = context.mayBlock
    const stats = this.#stats
    const uncaught = stats.totalErrorReplies - context.caughtErrors
    session.reply.array(multi.commands.length)
    context.enterGroup()
    context.mayBlock = false
    for (const queued of multi.commands) {
      if (this.#mayStillRun(queued, session)) this.#host.callInside(queued.row, session, queued.request)
    }
    context.leaveGroup()
    // Commands inside may have failed; EXEC has not.
    context.caughtErrors = stats.totalErrorReplies - uncaught
    context.mayBlock = mayBlock
    context.request = request
    context.db = db
    // What the queued commands did is recorded; EXEC itself did nothing.
    context.begin()
    session.multi = undefined
  }

  /** The user's rules may have changed since the command was queued; then it is answered with an error. */
  #mayStillRun({ row, request }: QueuedCommand, session: ClientSession): boolean {
    const { account } = session
    if (account.unrestricted) return true
    const denial = account.check(row, request)
    if (denial === undefined) return true
    logDenial(this.#host.server, session, 'multi', { denial, row, request, username: account.name })
    session.reply.error(`${RULES_CHANGED}${DENIED_AT_EXEC[denial.reason]}`)
    return false
  }

  get #session(): ClientSession {
    return this.#host.context.session
  }
}
