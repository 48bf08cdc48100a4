// The context that running commands see, one object used again and again. It gathers what a command did: effects for
// the journal, keys touched. The executor binds it before a command and settles it afterwards.
//
// Invariants: (1) a journal record is opened at the first effect and closed by settle() of the outermost command, so
// that a transaction or script is one record; (2) an error keeps the effects named before it, which are true (keys that
// were found expired, deliveries made), and never journals the request itself.

import { assert } from '../base/assert.js'
import type { StreamId } from '../base/stream-id.js'
import type { CommandContext, Transaction, Wait } from '../commands/context.js'
import type { LongReply } from '../commands/long-reply.js'
import type { Server } from '../commands/server.js'
import type { LargeArgument } from '../resp/large-argument.js'
import type { Reply } from '../resp/reply.js'
import { Request } from '../resp/request.js'
import type { EffectSink } from '../store/effects.js'
import type { Database, Keyspace } from '../types/keyspace.js'
import type { BlockedClients } from './blocked-clients.js'
import { BulkPiece } from './bulk-piece.js'
import { STREAMS_MAX } from './reply-streams.js'
import type { ReplyStreams } from './reply-streams.js'
import type { ClientSession } from './session.js'
import { argumentsOf, journaledForm } from './staged-arguments.js'
import type { Tracking } from './tracking.js'
import type { WatchedKeys } from './watched-keys.js'

export type EffectArgument = Buffer | string | number | bigint

/** What contexts share; made once by the executor. */
export interface ContextParts {
  readonly server: Server
  readonly keyspace: Keyspace
  readonly sink: EffectSink
  readonly watched: WatchedKeys
  readonly tracking: Tracking
  readonly blocked: BlockedClients<ClientSession>
  /** Keyspace notifications; undefined while notify-keyspace-events is empty. */
  notifier: ((kind: string, event: string, key: string, database: number) => void) | undefined
  readonly streams: ReplyStreams
  /** Takes the running command's wait. */
  park(wait: Wait): void
  /** Effects that must stand before the next record's own; undefined in most cases. Asked for at each record. */
  preamble(): readonly EffectArgument[] | undefined
  /** What the running command changed is going to be in the journal. */
  recorded(): void
}

export class ExecContext implements CommandContext {
  request = NO_REQUEST
  reply!: Reply
  session!: ClientSession
  readonly server: Server
  readonly keyspace: Keyspace
  readonly transaction: Transaction
  db: Database
  nowMs = 0
  replaying = false
  mayBlock = false
  /** Error replies of commands inside others that did not fail themselves (EVAL, EXEC), ever. */
  caughtErrors = 0
  /** Changes since the start of the outermost command. */
  dirty = 0

  readonly #parts: ContextParts
  readonly #sink: EffectSink
  readonly #piece = new BulkPiece()
  #recordOpen = false
  /** Commands around the running one: 1 inside EXEC. */
  #depth = 0
  #commandDirty = 0
  #explicitEffects = 0
  #silent = false

  constructor(parts: ContextParts, transaction: Transaction) {
    this.#parts = parts
    this.#sink = parts.sink
    this.server = parts.server
    this.keyspace = parts.keyspace
    this.transaction = transaction
    this.db = parts.keyspace.database(0)
  }

  /** Before a command. `this.request` and the like are set by the caller. */
  begin(): void {
    this.#commandDirty = 0
    this.#explicitEffects = 0
    this.#silent = false
  }

  /** Commands that follow belong to the running one, until leaveGroup(). */
  enterGroup(): void {
    // Its commands cannot be run one by one again.
    this.keyspace.rows.misses.armed = false
    this.#depth++
  }
  leaveGroup(): void {
    assert(this.#depth > 0, 'a group was entered')
    this.#depth--
  }
  /** Something of the running command is in a journal record that is not closed. */
  get recordIsOpen(): boolean {
    return this.#recordOpen
  }
  get inGroup(): boolean {
    return this.#depth > 0
  }

  /** After a command: journals its request if it changed something and said nothing of its own. */
  settle(failed: boolean): void {
    if (this.#commandDirty > 0 && this.#explicitEffects === 0 && !this.#silent && !failed && !this.replaying) {
      const request = this.request
      assert(request.argc > 0, 'a command without a request of its own names its effects')
      this.#open()
      if (request.large !== undefined) this.#addArguments(this.db.index, argumentsOf(request))
      else this.#sink.add(this.db.index, request.buffer, request.from, request.to)
    }
    if (this.#recordOpen && this.#depth === 0) this.closeRecord()
  }

  /** Closes the record, if one is open. */
  closeRecord(): void {
    if (!this.#recordOpen) return
    this.#recordOpen = false
    this.#sink.end()
    this.#parts.recorded()
  }

  /** Gives up the open record: nothing of the running command will be in the journal. The data are worthless then. */
  abandonRecord(): void {
    if (this.#recordOpen) this.#sink.abandon()
    this.#recordOpen = false
  }

  changed(count = 1): void {
    this.#commandDirty += count
    this.dirty += count
  }

  effect(...args: (EffectArgument | LargeArgument)[]): void {
    this.#explicit()
    if (!this.replaying) this.#addArguments(this.db.index, args)
  }

  effectIn(database: number, ...args: EffectArgument[]): void {
    this.#explicit()
    if (!this.replaying) this.#sink.addArguments(database, args)
  }

  #addArguments(database: number, args: readonly (EffectArgument | LargeArgument)[]): void {
    const isPlain = this.request.large === undefined
    const journaled = isPlain ? (args as EffectArgument[]) : journaledForm(args, this.#sink.staging?.cuts)
    this.#sink.addArguments(database, journaled)
  }

  effectSpliced(argFrom: number, argTo: number, ...args: (Buffer | string | number)[]): void {
    assert(args.length === argTo - argFrom, 'a splice keeps the number of arguments')
    this.#explicit()
    if (this.replaying) return
    const piece = this.#piece
    piece.clear()
    for (let i = 0; i < args.length; i++) piece.add(args[i])
    this.#addSpliced(argFrom, argTo)
  }

  effectWithId(index: number, id: StreamId): void {
    this.#explicit()
    if (this.replaying) return
    this.#piece.clear()
    this.#piece.addId(id)
    this.#addSpliced(index, index + 1)
  }

  /** Records the request with #piece in place of arguments [argFrom, argTo). */
  #addSpliced(argFrom: number, argTo: number): void {
    const { request } = this
    const { bytes, length } = this.#piece
    const cutFrom = request.headerOf(argFrom)
    const cutTo = argTo < request.argc ? request.headerOf(argTo) : request.to
    this.#sink.addSpliced(this.db.index, request.buffer, request.from, request.to, cutFrom, cutTo, bytes, length)
  }

  noEffect(): void {
    this.#silent = true
  }

  /** An effect that no command named: the removal of an expired key. It stays even if the running command fails. */
  sideEffect(database: number, args: readonly EffectArgument[]): void {
    assert(!this.replaying, 'nothing happens by itself at replay')
    this.#open()
    this.#sink.addArguments(database, args)
  }

  touched(key: string, db: Database = this.db): void {
    const { watched, tracking, blocked } = this.#parts
    if (watched.size > 0) watched.touch(db.index, key)
    if (tracking.active && !this.replaying) tracking.touch(key, this.session)
    if (blocked.count > 0) blocked.touch(db.index, key)
  }

  wake(key: string): void {
    const { blocked } = this.#parts
    if (blocked.count > 0) blocked.touch(this.db.index, key)
  }

  /** As touched(), of a key that no command changed: a part of it expired, or it was evicted. */
  touchedByNobody(key: string, db: Database): void {
    const { watched, tracking, blocked } = this.#parts
    if (watched.size > 0) watched.touch(db.index, key)
    if (tracking.active) tracking.touch(key, undefined)
    if (blocked.count > 0) blocked.touch(db.index, key)
  }

  /** As touched(), of a key that was removed because its time has come. */
  expired(key: string, db: Database): void {
    const { watched, tracking, blocked } = this.#parts
    if (watched.size > 0) watched.expire(db.index, key)
    if (tracking.active) tracking.touch(key, undefined)
    if (blocked.count > 0) blocked.touch(db.index, key)
  }

  touchedAll(db: Database): void {
    const { watched, blocked } = this.#parts
    if (watched.size > 0) watched.touchAll(db.index, key => db.peek(key) !== undefined)
    if (blocked.count > 0) blocked.touchAll(db.index)
  }

  flushed(): void {
    const { tracking } = this.#parts
    if (tracking.active && !this.replaying) tracking.flush()
  }

  notify(kind: string, event: string, key: string, db: Database = this.db): void {
    const notifier = this.#parts.notifier
    if (notifier !== undefined && !this.replaying) notifier(kind, event, key, db.index)
  }

  block(wait: Wait): void {
    assert(this.mayBlock, 'only a command that may wait does')
    this.#parts.park(wait)
  }

  get mayStream(): boolean {
    return this.mayBlock && this.session.replyMode === 'on' && this.#parts.streams.count < STREAMS_MAX
  }

  stream(rest: LongReply): void {
    assert(this.mayStream, 'only a command that may stream does')
    this.#parts.streams.begin(this.session, rest, this.request.detach())
  }

  #explicit(): void {
    this.#explicitEffects++
    this.changed()
    if (!this.replaying) this.#open()
  }

  #open(): void {
    if (this.#recordOpen) return
    this.#recordOpen = true
    this.#sink.begin(this.nowMs)
    const preamble = this.#parts.preamble()
    if (preamble !== undefined) this.#sink.addArguments(0, preamble)
  }
}

/** Stands for the request of work that no request asked for. */
export const NO_REQUEST = new Request()
