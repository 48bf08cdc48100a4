// Clients that are heard in the middle of a script that runs for longer than busy-reply-threshold. Only commands that
// are allowed then (SCRIPT KILL, FUNCTION KILL, SHUTDOWN NOSAVE, those of connection and transaction state) run, inside
// the script's own command; all others are answered -BUSY. Used by: executor, script-host.
//
// Invariants: (1) what runs here touches no key and records nothing; (2) the running command finds its context as it
// left it; (3) a reply leaves at once only if nothing of its client waits to leave before it.

import { Flag } from '../commands/spec.js'
import type { CommandTable, TableRow } from '../commands/table.js'
import type { Request } from '../resp/request.js'
import type { Keyspace } from '../types/keyspace.js'
import type { ExecContext } from './context.js'
import type { ClientSession } from './session.js'
import type { Tick } from './tick.js'

/** What this needs of the executor. */
export interface BusyHost {
  readonly context: ExecContext
  readonly keyspace: Keyspace
  readonly table: CommandTable
  readonly tick: Tick
  refusal(session: ClientSession, row: TableRow, request: Request): string | undefined
  refuse(session: ClientSession, row: TableRow | undefined, text: string): void
  callInside(row: TableRow, session: ClientSession, request: Request): void
}

export class BusyClients {
  /** What clients are answered; undefined while no script is being waited for. */
  #text: string | undefined
  readonly #host: BusyHost

  constructor(host: BusyHost) {
    this.#host = host
  }

  get active(): boolean {
    return this.#text !== undefined
  }

  /** Hears clients: `look` brings their requests to execute(). `client` is the one whose command runs. */
  hear(client: ClientSession, text: string, look: () => void): void {
    const { context, tick } = this.#host
    // Those answered in this tick before the script began must not wait for its end. What it has recorded already
    // cannot be cut from what would be written.
    if (!context.recordIsOpen) tick.flush(client)
    const { session, reply, request, db, mayBlock } = context
    this.#text = text
    try {
      look()
    } finally {
      this.#text = undefined
      context.session = session
      context.reply = reply
      context.request = request
      context.db = db
      context.mayBlock = mayBlock
    }
  }

  execute(session: ClientSession, request: Request): void {
    const host = this.#host
    const atOnce = session.outputIsEmpty
    const position = session.reply.position
    host.tick.enlist(session)
    const row = host.table.lookup(request)
    if (row === undefined || (row.flags & Flag.Internal) !== 0) {
      host.refuse(session, undefined, host.table.unknownText(request))
    } else {
      const refusal =
        host.refusal(session, row, request) ?? ((row.flags & Flag.AllowBusy) === 0 ? this.#text : undefined)
      if (refusal !== undefined) host.refuse(session, row, refusal)
      else this.#run(row, session, request)
    }
    // CLIENT REPLY OFF and SKIP hold for these answers too.
    if (session.replyMode !== 'on') session.reply.truncate(position)
    if (session.replyMode === 'skip') session.replyMode = 'on'
    if (atOnce && !session.closing) session.sendNow()
  }

  #run(row: TableRow, session: ClientSession, request: Request): void {
    const { context } = this.#host
    if (session.multi !== undefined && !row.unqueued) {
      session.multi.add(row, request)
      session.reply.status('QUEUED')
      return
    }
    context.session = session
    context.reply = session.reply
    context.mayBlock = false
    this.#host.callInside(row, session, request)
  }
}
