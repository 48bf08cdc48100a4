// Runs commands, one at a time: looks up the row, runs it if it may run now (admission.ts), and sees to what follows
// from it - effects to the journal, clients that waited for its keys, counters. Replies leave at the end of the tick
// (tick.ts).
//
// Times: the clock is read once at the start of a tick and once after each command; the reading after a command is the
// start of the next. The Unix time of a command is the tick's plus what has passed since, and stands still inside it.

import { assert } from '../base/assert.js'
import type { Clock } from '../base/clock.js'
import { Args } from '../commands/args.js'
import type { Wait } from '../commands/context.js'
import type { Server } from '../commands/server.js'
import { Flag } from '../commands/spec.js'
import type { CommandTable, TableRow } from '../commands/table.js'
import type { LargeRequest } from '../resp/large-request.js'
import type { Request } from '../resp/request.js'
import type { EffectSink } from '../store/effects.js'
import { PageMiss } from '../store/page-misses.js'
import type { Keyspace } from '../types/keyspace.js'
import { Accounting } from './accounting.js'
import { Admission } from './admission.js'
import type { AdmissionState } from './admission.js'
import { BlockedClients, Waiter } from './blocked-clients.js'
import { BusyClients } from './busy-clients.js'
import { ExecContext, NO_REQUEST } from './context.js'
import type { ContextParts, EffectArgument } from './context.js'
import { ColdReads } from './cold-reads.js'
import { Deadlines } from './deadlines.js'
import type { ExecutorParts } from './executor-parts.js'
import type { ClientMemory } from './client-memory.js'
import { LargeRequests } from './large-requests.js'
import { LaterReplies } from './later-replies.js'
import type { MemoryGuard } from './memory-guard.js'
import { Failures } from './failures.js'
import { keyspaceHooks, keyspaceNotifier } from './keyspace-events.js'
import { Monitors } from './monitors.js'
import { Pause } from './pause.js'
import { PubSub } from './pubsub.js'
import { Removals } from './removals.js'
import { ReplyStreams } from './reply-streams.js'
import type { ClientSession, SessionHost } from './session.js'
import type { ServerStats } from './stats.js'
import { Tick } from './tick.js'
import { Tracking } from './tracking.js'
import { Transactions } from './transactions.js'
import { TurnShares } from './turn-shares.js'
import { WatchedKeys } from './watched-keys.js'

/** A reply beyond it is held against the output limits when its command ends; shorter ones when they leave. */
const OUTPUT_LOOK_BYTES = 16_384
const UNBLOCKED = 'UNBLOCKED client unblocked via CLIENT UNBLOCK'

export class Executor implements SessionHost, ContextParts, AdmissionState {
  readonly server: Server
  sink: EffectSink
  readonly watched = new WatchedKeys()
  readonly tracking: Tracking
  readonly blocked: BlockedClients<ClientSession>
  readonly deadlines: Deadlines
  readonly pause: Pause
  readonly tick: Tick
  readonly shares: TurnShares
  readonly pubsub = new PubSub()
  readonly busyClients: BusyClients
  readonly monitors: Monitors
  readonly accounting: Accounting
  readonly memory: MemoryGuard
  readonly laterReplies = new LaterReplies(this)
  readonly removals: Removals
  readonly streams: ReplyStreams
  readonly cold = new ColdReads(this)
  readonly failures: Failures
  notifier: ContextParts['notifier']
  /** Data are not there yet: only commands that work without them are allowed. */
  loading = false
  /** Every command waits: data are being closed and opened again. */
  held = false
  /** A command is running, so that expired keys join its record. */
  running = false
  /** A defect of ours was met, or the data were given up: nothing more is executed. */
  dead = false
  readonly defaultUser: SessionHost['defaultUser']
  /** New clients must authenticate first. */
  passwordRequired = false

  keyspace: Keyspace
  context: ExecContext
  readonly #clock: Clock
  readonly table: CommandTable
  readonly #stats: ServerStats
  readonly #parts: ExecutorParts
  readonly #transactions: Transactions
  readonly #admission: Admission
  readonly #clientMemory: ClientMemory
  readonly #large = new LargeRequests(this)
  readonly #execRow: TableRow | undefined
  /** notify-keyspace-events. */
  #events = ''
  #parked: Wait | undefined
  #tickMs = 0
  #tickUs = 0
  /** Monotonic reading after the last command, or at the start of the tick. */
  #lastUs = 0

  constructor(parts: ExecutorParts) {
    this.#parts = parts
    this.server = parts.server
    this.defaultUser = parts.server.users.default
    this.sink = parts.sink
    this.#clock = parts.clock
    this.table = parts.table
    this.#stats = parts.stats
    this.memory = parts.memory
    this.#clientMemory = parts.clientMemory
    this.failures = new Failures(this, parts)
    this.accounting = new Accounting(parts.stats, parts.slowlog, parts.latency)
    this.deadlines = new Deadlines(() => parts.clock.monotonicUs() / 1000)
    this.blocked = new BlockedClients(this.deadlines, due => this.background(() => this.blocked.makeDue(due)))
    this.pause = new Pause(this.deadlines, () => this.releasePostponed())
    this.tracking = new Tracking(parts)
    this.removals = new Removals(this, parts.stats)
    this.shares = new TurnShares(parts.clock, () => this.tick.endIfDue())
    this.streams = new ReplyStreams({
      ...parts,
      shares: this.shares,
      deadlines: this.deadlines,
      streamed: session => this.#streamed(session),
    })
    this.tick = new Tick(parts.commit, () => this.tracking.endTick())
    this.monitors = new Monitors(parts.clock)
    this.#transactions = new Transactions(this, parts.stats)
    this.busyClients = new BusyClients(this)
    this.#execRow = parts.table.row('exec')
    this.#admission = new Admission(this, this.#execRow)
    this.keyspace = parts.keyspace
    this.context = new ExecContext(this, this.#transactions)
    this.adopt(parts.keyspace, parts.sink)
  }

  /** Works on this keyspace and journal from now on: after a reload. */
  adopt(keyspace: Keyspace, sink: EffectSink): void {
    this.keyspace = keyspace
    this.sink = sink
    this.context = new ExecContext(this, this.#transactions)
    this.#stats.countLookupsOf(keyspace)
    this.tracking.flush()
    this.publishEvents(this.#events)
  }

  /** A context of its own for the replay, so that clients are answered meanwhile. */
  replayContext(): ExecContext {
    return new ExecContext(this, this.#transactions)
  }

  /** notify-keyspace-events; a keyspace is asked for what costs its hot paths something only when it is wanted. */
  publishEvents(letters: string): void {
    this.#events = letters
    this.notifier = keyspaceNotifier(letters, this.pubsub)
    const wanted = this.notifier === undefined ? '' : letters
    this.keyspace.hooks = keyspaceHooks(wanted, this.removals, (...event) => this.context.notify(...event))
  }

  /** Unix ms of the running command, or of now. */
  get nowMs(): number {
    if (!this.tick.begun) return this.#clock.nowMs()
    return this.#frozenMs()
  }

  execute(session: ClientSession, request: Request): void {
    if (this.dead) return
    if (this.busyClients.active) {
      this.busyClients.execute(session, request)
      return
    }
    if (!this.tick.begun) this.#beginTick()
    if (this.#clientMemory.over) this.#clientMemory.enforce()
    if (session.closing) return
    this.tick.enlist(session)
    session.lastInteractionMs = this.#frozenMs()
    if (this.tracking.active) this.tracking.enter(session)
    if (session.replyMode === 'on') this.#admit(session, request)
    else this.#admitQuietly(session, request)
    if (session.cold?.ready === true) session.cold = undefined
    // CLIENT REPLY SKIP silences the command after it, not itself.
    if (session.replyMode === 'skip-next') session.replyMode = 'skip'
    session.endSpeaking()
    if (this.tracking.active) this.tracking.leave(session, request)
    if (session.reply.position > OUTPUT_LOOK_BYTES) this.#parts.outputLimits.check(session, this.#tickMs)
    this.noteMemory(session)
  }

  /** CLIENT REPLY OFF and SKIP: the command runs, what it wrote is taken back. */
  #admitQuietly(session: ClientSession, request: Request): void {
    session.speaking = true
    const position = session.reply.position
    const before = session.replyMode
    this.#admit(session, request)
    if (session.postponed !== undefined) return
    // CLIENT REPLY ON is itself answered, even when the command before it was SKIP.
    const silenced = before === 'skip' && session.replyMode !== 'on'
    if (silenced || session.replyMode === 'off') session.reply.truncate(position)
    if (before === 'skip' && session.replyMode === 'skip') session.replyMode = 'on'
  }

  #admit(session: ClientSession, request: Request): void {
    const row = this.table.lookup(request)
    if (row === undefined || (row.flags & Flag.Internal) !== 0) {
      this.refuse(session, undefined, this.table.unknownText(request))
      return
    }
    const refusal = this.#admission.refusal(session, row, request)
    if (refusal !== undefined) return this.refuse(session, row, refusal)
    if (this.#admission.mustWait(session, row, request)) {
      session.postponed = request.detach()
      return
    }
    if (session.multi !== undefined && !row.unqueued) {
      const refused = session.multi.add(row, request, this.#admission.flagsOf(row, request))
      if (refused !== undefined) return this.refuse(session, row, refused)
      session.reply.status('QUEUED')
      return
    }
    this.#runOutermost(session, row, request)
  }

  executeLarge(session: ClientSession, request: LargeRequest): void {
    this.#large.execute(session, request)
  }

  mustWait(session: ClientSession, row: TableRow, request: Request): boolean {
    return this.#admission.mustWait(session, row, request)
  }

  /** For a client that is heard in the middle of a script. */
  refusal(session: ClientSession, row: TableRow, request: Request): string | undefined {
    return this.#admission.refusal(session, row, request)
  }

  refuse(session: ClientSession, row: TableRow | undefined, text: string): void {
    if (row !== undefined) this.#stats.of(row.index, row.name).rejectedCalls++
    const multi = session.multi
    if (multi !== undefined) multi.aborted = true
    if (row !== undefined && row === this.#execRow) {
      this.#transactions.forget(session)
      session.reply.error(`EXECABORT Transaction discarded because of: ${text.replace(/^ERR /, '')}`)
      return
    }
    session.reply.error(text)
  }

  #runOutermost(session: ClientSession, row: TableRow, request: Request): void {
    const context = this.context
    session.speaking = true
    this.#bind(session, session.databaseIndex)
    context.mayBlock = true
    this.running = true
    this.cold.begin(session)
    const us = this.#call(row, session, request)
    this.keyspace.rows.misses.armed = false
    this.running = false
    if (this.#parked !== undefined) this.#park(session, row, request, us)
    if (this.blocked.hasReady) this.#serveReady()
  }

  /** Runs a command of a transaction or script inside the running command. */
  callInside(row: TableRow, session: ClientSession, request: Request): void {
    const context = this.context
    assert(context.inGroup, 'a command inside another belongs to its group')
    context.db = this.keyspace.database(session.databaseIndex)
    this.#call(row, session, request)
  }

  /** The running command's changes can neither be completed nor be undone. */
  abandon(): void {
    this.dead = true
    this.context.abandonRecord()
  }

  #bind(session: ClientSession, database: number): void {
    const context = this.context
    context.session = session
    context.reply = session.reply
    context.db = this.keyspace.database(database)
    context.nowMs = this.#frozenMs()
    this.keyspace.nowMs = context.nowMs
    this.keyspace.expiryHeld = this.pause.mode !== undefined
  }

  /** Returns the microseconds it took. */
  #call(row: TableRow, session: ClientSession, request: Request): number {
    const context = this.context
    const stats = this.#stats
    const startUs = this.#lastUs
    const errors = stats.totalErrorReplies - context.caughtErrors
    session.lastCommand = row.name
    context.request = request
    context.begin()
    const position = session.reply.position
    let failed = false
    if (this.monitors.size > 0 && session.cold === undefined) this.monitors.before(session, row, request)
    try {
      row.spec.run(context, row.spec.parse(new Args(request, row.argsAt, context.db)))
    } catch (error) {
      if (error instanceof PageMiss) {
        this.cold.missed(session, request, error, position)
        return 0
      }
      failed = true
      this.failures.answer(error, session, position, row.name, request)
    }
    context.settle(failed)
    if (this.tracking.active) this.tracking.remember(session, row, request)

    const endUs = this.#clock.monotonicUs()
    this.#lastUs = endUs
    const us = endUs - startUs
    this.accounting.called(row, us, stats.totalErrorReplies - context.caughtErrors > errors)
    // What waits is noted when it was served, as a whole.
    if (this.#parked === undefined) this.accounting.noteIfSlow(row, session, request, us, context.nowMs)
    if (this.monitors.size > 0) this.monitors.after(session, row, request)
    return us
  }

  park(wait: Wait): void {
    assert(this.#parked === undefined, 'a command waits once')
    this.#parked = wait
  }

  #park(session: ClientSession, row: TableRow, request: Request, us: number): void {
    const wait = this.#parked!
    this.#parked = undefined
    const waiter = new Waiter(session, wait, session.databaseIndex, { row, request: request.detach(), us })
    session.waiter = waiter
    this.blocked.add(waiter, late => this.#timeOut(late))
  }

  #serveReady(): void {
    this.blocked.serveReady((waiter, key) => this.#serve(waiter, key))
  }

  #serve(waiter: Waiter<ClientSession>, key: string): boolean {
    if (this.dead) return false
    const session = waiter.session
    const context = this.context
    this.#bind(session, waiter.database)
    context.request = NO_REQUEST
    context.mayBlock = false
    context.begin()
    const position = session.reply.position
    const startUs = this.#lastUs
    const errors = this.#stats.totalErrorReplies
    session.speaking = true
    let served = true
    let failed = false
    this.running = true
    try {
      served = waiter.wait.serve(context, key)
    } catch (error) {
      failed = true
      const { row, request } = waiter.command
      this.failures.answer(error, session, position, row.name, request)
    }
    context.settle(failed)
    this.running = false
    this.#lastUs = this.#clock.monotonicUs()
    if (served) {
      const failedCall = this.#stats.totalErrorReplies > errors
      this.accounting.served(session, waiter.command, this.#lastUs - startUs, failedCall, context.nowMs)
      this.#unblocked(session, position)
    }
    session.endSpeaking()
    return served
  }

  #unblocked(session: ClientSession, position: number): void {
    session.waiter = undefined
    if (session.replyMode === 'off') session.reply.truncate(position)
    this.tick.enlist(session)
    this.tick.resume(session)
  }

  #streamed(session: ClientSession): void {
    session.endSpeaking()
    this.tick.enlist(session)
    this.tick.resume(session)
  }

  #timeOut(waiter: Waiter<ClientSession>): void {
    if (!this.tick.begun) this.#beginTick()
    const position = waiter.session.reply.position
    waiter.wait.onTimeout(waiter.session.reply)
    this.#unblocked(waiter.session, position)
  }

  unblock(session: ClientSession, how: 'timeout' | 'error'): boolean {
    const waiter = session.waiter
    if (waiter === undefined) return false
    this.blocked.remove(waiter)
    if (how === 'timeout') {
      this.#timeOut(waiter)
      return true
    }
    const position = session.reply.position
    session.reply.error(UNBLOCKED)
    this.accounting.served(session, waiter.command, 0, true, this.#frozenMs())
    this.#unblocked(session, position)
    return true
  }

  /** Runs work that no command asked for, such as the expire cycle; what it changes by side effects is one record. */
  background(work: () => void): void {
    if (this.dead) return
    if (!this.tick.begun) this.#beginTick()
    this.context.nowMs = this.#frozenMs()
    this.keyspace.nowMs = this.context.nowMs
    assert(!this.running, 'background work runs between commands')
    this.running = true
    work()
    this.running = false
    this.context.closeRecord()
    if (this.blocked.hasReady) this.#serveReady()
    this.#lastUs = this.#clock.monotonicUs()
  }

  reset(session: ClientSession): void {
    this.#transactions.forget(session)
    this.pubsub.forget(session)
    this.tracking.end(session)
    this.monitors.remove(session)
  }

  stopWaiting(session: ClientSession): void {
    if (session.waiter !== undefined) this.blocked.remove(session.waiter)
    session.waiter = session.postponed = session.cold = undefined
  }

  closed(session: ClientSession): void {
    this.stopWaiting(session)
    this.reset(session)
    this.#clientMemory.forget(session)
    this.#parts.sessions.remove(session)
  }

  enlist(session: ClientSession): void {
    this.tick.enlist(session)
  }

  preamble(): readonly EffectArgument[] | undefined {
    return this.#parts.preamble()
  }

  recorded(): void {
    this.tick.schedule()
  }

  countError(text: string): void {
    this.#stats.countError(text)
  }

  outputFull(session: ClientSession): boolean {
    return this.#parts.outputLimits.isFull(session)
  }

  noteMemory(session: ClientSession): void {
    if (this.#clientMemory.active) this.#clientMemory.note(session)
  }

  /** Memory was short when the running command began. */
  get outOfMemory(): boolean {
    return this.memory.full
  }

  overOutputLimit(session: ClientSession): boolean {
    return this.#parts.outputLimits.check(session, this.nowMs, this.passwordRequired && !session.authenticated)
  }

  /** Keeps all commands back, or lets them go on. */
  hold(held: boolean): void {
    this.held = held
    if (!held) this.releasePostponed()
  }

  /** Commands that had to wait are tried again. */
  releasePostponed(): void {
    for (const session of this.#parts.sessions) if (session.postponed !== undefined) this.tick.resume(session)
  }

  #beginTick(): void {
    this.tick.begun = true
    this.#tickMs = this.#clock.nowMs()
    this.#tickUs = this.#clock.monotonicUs()
    this.#lastUs = this.#tickUs
    this.tick.schedule()
  }

  #frozenMs(): number {
    return this.#tickMs + Math.floor((this.#lastUs - this.#tickUs) / 1000)
  }
}
