// Requests with very long arguments: their bytes go to the journal in parts, a part in each turn of the event loop, and
// then the command runs, journaled as one that refers to them (commands/staged). So others wait for a part at most, and
// nothing is copied whole. The client executes nothing else meanwhile. Used by: executor.
//
// Invariants: (1) no cut is made between the first part and the command, because the segments before a cut go; where
// one came all the same (the command had to wait), the context journals the command whole; (2) a client that ends
// leaves parts behind that nobody refers to, which the replay forgets.

import { ReplyError } from '../base/errors.js'
import { STAGE_COMMAND } from '../commands/staged.js'
import type { CommandTable, TableRow } from '../commands/table.js'
import type { LargeArgument } from '../resp/large-argument.js'
import type { LargeRequest } from '../resp/large-request.js'
import type { Request } from '../resp/request.js'
import type { EffectSink, Staging } from '../store/effects.js'
import type { ExecContext } from './context.js'
import type { ClientSession } from './session.js'
import type { TurnShares } from './turn-shares.js'

/** Pieces in a part: half a MiB is some milliseconds of writing. */
const PIECES_PER_PART = 8

export interface LargeHost {
  readonly context: ExecContext
  readonly sink: EffectSink
  readonly shares: TurnShares
  readonly table: CommandTable
  readonly dead: boolean
  readonly busyClients: { readonly active: boolean }
  readonly monitors: { readonly size: number }
  execute(session: ClientSession, request: Request): void
  refusal(session: ClientSession, row: TableRow, request: Request): string | undefined
  mustWait(session: ClientSession, row: TableRow, request: Request): boolean
  refuse(session: ClientSession, row: TableRow | undefined, text: string): void
  enlist(session: ClientSession): void
  background(work: () => void): void
}

export class LargeRequests {
  readonly #host: LargeHost
  #lastId = 0

  constructor(host: LargeHost) {
    this.#host = host
  }

  execute(session: ClientSession, request: LargeRequest): void {
    const host = this.#host
    const row = host.table.lookup(request)
    const { staging } = host.sink
    const alone = session.inMulti || host.busyClients.active || host.monitors.size > 0 || session.replyMode !== 'on'
    if (row?.spec.takesLarge !== true || staging === undefined || alone) return this.#executeWhole(session, request)
    if (host.dead || session.closing) return
    if (host.refusal(session, row, request) !== undefined) return host.execute(session, request)
    if (host.mustWait(session, row, request)) session.postponed = request
    else new Stage(host, session, row, request, staging, () => ++this.#lastId).begin()
  }

  #executeWhole(session: ClientSession, request: LargeRequest): void {
    try {
      this.#host.execute(session, request.whole())
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error
      this.#host.refuse(session, undefined, error.message)
      this.#host.enlist(session)
    }
  }
}

class Stage {
  readonly #arguments: LargeArgument[]
  /** Of the first of #arguments. */
  #id: number
  #nextPiece = 0

  constructor(
    readonly host: LargeHost,
    readonly session: ClientSession,
    readonly row: TableRow,
    readonly request: LargeRequest,
    readonly staging: Staging,
    readonly nextId: () => number,
  ) {
    this.#arguments = Array.from(request.large.values())
    this.#id = nextId()
  }

  begin(): void {
    this.session.busy++
    this.staging.holders++
    this.host.shares.add(this.#work)
  }

  readonly #work = (): void => {
    const { host, session, row, request, staging } = this
    const isOver = session.closing || host.dead || host.sink.staging !== staging
    if (!isOver && this.#arguments.length > 0 && host.refusal(session, row, request) === undefined) {
      host.background(() => this.#writePart(this.#arguments[0]))
      return host.shares.add(this.#work)
    }
    session.busy--
    if (!session.closing && !host.dead) {
      session.postponed = request
      session.goOn()
    }
    staging.holders--
  }

  #writePart(argument: LargeArgument): void {
    const first = this.#nextPiece
    const pieces = argument.pieces.slice(first, first + PIECES_PER_PART)
    this.host.context.sideEffect(0, [STAGE_COMMAND, this.#id, first, ...pieces])
    this.#nextPiece += pieces.length
    if (this.#nextPiece < argument.pieces.length) return
    argument.staged = { id: this.#id, cuts: this.staging.cuts }
    this.#arguments.shift()
    this.#id = this.nextId()
    this.#nextPiece = 0
  }
}
