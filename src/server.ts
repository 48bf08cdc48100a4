// Composition root: builds every part, joins them, and takes them down in reverse. Nothing here decides what a command
// does; this file knows who needs whom, in which order data become ready, what a changed option means to whom, and how
// the server ends.
//
// Order of a start: folder and LMDB (store), sockets (listener; -LOADING from here on), key directory (keyspace),
// journal (replay), background.

import { randomBytes } from 'node:crypto'
import type { Clock } from './base/clock.js'
import { systemClock } from './base/clock.js'
import type { Config } from './base/config.js'
import { ReplyError } from './base/errors.js'
import type { Log } from './base/log.js'
import { AclUsers } from './commands/acl-users.js'
import { commandTable } from './commands/all-commands.js'
import type { Durability, PubSub, Server } from './commands/server.js'
import { Flag } from './commands/spec.js'
import { LOADING, NO_REPLICAS } from './exec/admission.js'
import { ChangeFeed } from './exec/change-feed.js'
import { Damages } from './exec/damages.js'
import { Executor } from './exec/executor.js'
import { ExpireCycle } from './exec/expire-cycle.js'
import { Latency } from './exec/latency.js'
import { followConfig } from './exec/live-config.js'
import { Loading } from './exec/loading.js'
import { LoopDelay } from './exec/loop-delay.js'
import { MemoryControl } from './exec/memory-control.js'
import { NodeLimitsJournal } from './exec/node-limits-journal.js'
import { openStore } from './exec/open-store.js'
import { OutputLimits } from './exec/output-limits.js'
import { recoverySteps } from './exec/recovery-steps.js'
import type { ReplyStreams } from './exec/reply-streams.js'
import { ScriptHost } from './exec/script-host.js'
import { ClientSession } from './exec/session.js'
import { SessionRegistry } from './exec/session-registry.js'
import { SlowlogList } from './exec/slowlog.js'
import { ServerStats } from './exec/stats.js'
import type { Tracking } from './exec/tracking.js'
import type { Transport } from './exec/transport.js'
import { Listener } from './net/listener.js'
import type { DoorPolicy, TcpPlace } from './net/listener.js'
import { exchange } from './native/peer-exchange.js'
import type { Reply } from './resp/reply.js'
import type { JournalFiles } from './store/journal-segment.js'
import type { Store } from './store/store.js'
import { Keyspace } from './types/keyspace.js'

export interface ServerOptions {
  readonly config: Config
  readonly log: Log
  readonly clock?: Clock
  /** Clients can connect; the data are loaded when what this returns has settled. */
  readonly onListening?: (server: MillraceServer) => void | Promise<void>
  /** SHUTDOWN, or a broken invariant, ended the server; `code` is the exit status it suggests. Called at most once. */
  readonly onStopped?: (code: number) => void
  /** As StoreOptions.journalFiles. */
  readonly journalFiles?: JournalFiles
}

/** How long the end waits for clients to take their last replies. */
const FAREWELL_MS_MAX = 1000
const FAREWELL_LOOK_MS = 5

type Done = (fault?: string) => void

export class MillraceServer implements Server {
  readonly clock: Clock
  readonly config: Config
  readonly log: Log
  readonly table = commandTable()
  readonly stats = new ServerStats()
  readonly slowlog = new SlowlogList()
  readonly latency = new Latency(this.stats)
  readonly loopDelay = new LoopDelay()
  readonly runId = randomBytes(20).toString('hex')
  readonly users: AclUsers
  readonly scripts: ScriptHost
  readonly startedAtMs: number
  /** Journal records that the start ran again. */
  replayedRecords = 0
  activeExpire = true

  readonly #sessions = new SessionRegistry()
  readonly #nodeLimits: NodeLimitsJournal
  readonly #feed: ChangeFeed
  readonly #damages: Damages
  readonly #executor: Executor
  readonly #expireCycle: ExpireCycle
  readonly #memory: MemoryControl
  readonly #outputLimits: OutputLimits
  readonly #listener: Listener
  readonly #onStopped: (code: number) => void
  readonly #journalFiles: JournalFiles | undefined
  readonly #took = (event: string, ms: number): void => this.latency.sample(event, ms, this.clock.nowMs())
  #store: Store
  #keyspace: Keyspace
  /** Ticks that ended while the store was being opened again. */
  #uncommitted: Done[] | undefined
  #ending: Promise<void> | undefined
  #stopped = false
  #loading: Loading | undefined

  /**
   * Opens the data folder, listens, and brings the data back; meanwhile clients are told that it is loading.
   * @throws UsageError when the folder or an address cannot be had, or close() came before the end of the load;
   * CorruptionError when the data are damaged
   */
  static async start(options: ServerOptions): Promise<MillraceServer> {
    const server = new MillraceServer(options)
    try {
      const loading = new Loading(server.#store.loadSizes, server.clock, server.log)
      server.#loading = loading
      server.#executor.loading = true
      await server.#listener.listen()
      await options.onListening?.(server)
      await loading.run(server.#recovery(loading))
      server.#executor.loading = false
      server.#loading = undefined
    } catch (error) {
      server.#stopped = true
      if (server.#ending === undefined) await server.#close(false)
      else await server.#ending
      throw error
    }
    server.loopDelay.start()
    server.#expireCycle.start()
    server.#memory.start()
    return server
  }

  private constructor(options: ServerOptions) {
    const { config, log } = options
    const { values } = config
    this.clock = options.clock ?? systemClock
    this.config = config
    this.log = log
    this.startedAtMs = this.clock.nowMs()
    this.users = new AclUsers(this.table, config)
    this.users.loadAtStart()
    this.#onStopped = options.onStopped ?? (() => undefined)
    this.#journalFiles = options.journalFiles
    this.#nodeLimits = new NodeLimitsJournal(values)
    this.#memory = this.#newMemoryControl()
    this.#store = this.#openStore()
    this.#keyspace = this.#newKeyspace()
    const { table } = this
    this.#feed = new ChangeFeed(this.#store, name => ((table.row(name)?.flags ?? 0) & Flag.Internal) !== 0)
    const outputLimits = new OutputLimits(values.clientOutputBufferLimit, message => log.warning(message))
    this.#damages = new Damages(this.table, log)
    this.#executor = new Executor({
      server: this,
      clock: this.clock,
      table: this.table,
      keyspace: this.#keyspace,
      sink: this.#feed,
      commit: (done, clients) => this.#commit(done, clients),
      stats: this.stats,
      slowlog: this.slowlog,
      latency: this.latency,
      sessions: this.#sessions,
      outputLimits,
      memory: this.#memory.guard,
      clientMemory: this.#memory.clients,
      preamble: () => this.#nodeLimits.take(),
      panic: (error, doing) => this.#panic(error, doing),
      damaged: (error, doing, request) => this.#damages.refuse(error, doing, request),
      streamTimeoutMs: () => values.replyStallTimeout * 1000,
      stalled: ({ id, address }) =>
        log.notice(`Client id=${id} addr=${address} takes nothing of a long reply: closed.`),
    })
    this.scripts = new ScriptHost({
      executor: this.#executor,
      table: this.table,
      stats: this.stats,
      log,
      clock: this.clock,
      writeFault: () => this.#store.writeFault ?? (values.minReplicasToWrite > 0 ? NO_REPLICAS : undefined),
      deprecatedApi: values.luaEnableDeprecatedApi,
      lookNow: () => this.#listener.lookNow(),
    })
    this.#expireCycle = this.#newExpireCycle()
    this.#listener = this.#newListener()
    followConfig({
      config,
      log,
      executor: this.#executor,
      users: this.users,
      slowlog: this.slowlog,
      latency: this.latency,
      scripts: this.scripts,
      outputLimits,
      expireCycle: this.#expireCycle,
      nodeLimits: this.#nodeLimits,
      setParserLimits: limits => this.#listener.setParserLimits(limits),
      store: () => this.#store,
    })
    this.#outputLimits = outputLimits
    outputLimits.watch(this.#sessions, () => this.clock.nowMs())
  }

  // --- what commands see

  get keyspace(): Keyspace {
    return this.#keyspace
  }
  get durability(): Durability {
    return this.#store
  }
  get tcpPort(): number {
    return this.#listener.port
  }
  get loading(): boolean {
    return this.#executor.loading
  }
  get blockedCount(): number {
    let postponed = 0
    for (const session of this.#sessions) if (session.postponed !== undefined) postponed++
    return this.#executor.blocked.count + postponed
  }
  get blockedKeyCount(): number {
    return this.#executor.blocked.keyCount
  }

  infoFields(): Readonly<Record<string, string | number>> {
    return { ...this.scripts.infoFields(), ...this.#memory.infoFields(), ...this.#damages.infoFields() }
  }

  loadingFields(): Readonly<Record<string, string | number>> {
    return this.#loading?.infoFields() ?? {}
  }

  sessions(): Iterable<ClientSession> {
    return this.#sessions
  }

  get memory(): MemoryControl {
    return this.#memory
  }

  get longReplies(): ReplyStreams {
    return this.#executor.streams
  }

  get pubsub(): PubSub {
    return this.#executor.pubsub
  }

  get tracking(): Tracking {
    return this.#executor.tracking
  }

  monitor(session: ClientSession): void {
    this.#executor.monitors.add(session)
  }

  follow(session: ClientSession): void {
    this.#feed.follow(session)
  }

  session(id: number): ClientSession | undefined {
    return this.#sessions.get(id)
  }

  pause(untilMs: number, mode: 'write' | 'all'): void {
    this.#executor.pause.begin(untilMs, mode, this.clock.nowMs())
  }

  unpause(): void {
    this.#executor.pause.end()
  }

  later(session: ClientSession, work: Promise<unknown>, done: (reply: Reply) => void): void {
    this.#executor.laterReplies.begin(session, work, done)
  }

  sleepSync(seconds: number): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, seconds * 1000)
  }

  readonly exchange = exchange

  rebind(): Promise<void> {
    return this.#listener.rebind(this.#tcpPlace())
  }

  /** Where clients reach it: '127.0.0.1:6379', or the path of the Unix socket. */
  get place(): string {
    const { bind, unixsocket } = this.config.values
    if (this.tcpPort === 0) return unixsocket
    const first = (bind[0] ?? '').replace(/^-/, '')
    const host = first === '*' ? '0.0.0.0' : first === '::*' ? '::' : first
    return `${host.includes(':') ? `[${host}]` : host}:${this.tcpPort}`
  }

  // --- data

  #openStore(): Store {
    const { log, clock } = this
    const parts = {
      log,
      clock,
      onCut: () => this.#nodeLimits.makeDue(),
      onRelieved: () => this.#executor.releasePostponed(),
      took: this.#took,
      journalFiles: this.#journalFiles,
    }
    return openStore(this.config, parts, this.#memory.dirtyBytesMax)
  }

  #newKeyspace(): Keyspace {
    const keyspace = new Keyspace({ rows: this.#store, databases: this.config.values.databases, clock: this.clock })
    this.#memory.adopt(keyspace)
    return keyspace
  }

  /** Loads the directory and runs the journal again; a little in each step. */
  *#recovery(loading?: Loading): Generator<void, void, undefined> {
    const { config, clock } = this
    const parts = { store: this.#store, keyspace: this.#keyspace, executor: this.#executor, config, clock }
    this.replayedRecords = yield* recoverySteps(parts, loading)
    this.#nodeLimits.makeDue()
  }

  async reload(options: { checkpoint: boolean }): Promise<void> {
    if (this.loading) throw new ReplyError(LOADING)
    this.#executor.hold(true)
    this.#executor.streams.endAll()
    try {
      // The tick that asked for it must be in the journal before that is closed.
      await new Promise(resolve => setImmediate(resolve))
      if (options.checkpoint) await this.#store.checkpoint()
      this.#uncommitted = []
      await this.#store.close({ checkpoint: false })
      this.#store = this.#openStore()
      this.#keyspace = this.#newKeyspace()
      this.#feed.inner = this.#store
      this.#executor.adopt(this.#keyspace, this.#feed)
      for (const step of this.#recovery()) void step
    } finally {
      const waiting = this.#uncommitted ?? []
      this.#uncommitted = undefined
      for (const done of waiting) this.#store.commit(done)
      this.#executor.hold(false)
    }
  }

  #commit(done: Done, clients: number): void {
    if (this.#uncommitted !== undefined) this.#uncommitted.push(done)
    else if (this.#stopped) done('the store is closed')
    else if (this.loading) done()
    else this.#store.commit(done, clients)
  }

  // --- parts

  #newExpireCycle(): ExpireCycle {
    const executor = this.#executor
    const cycle = new ExpireCycle({
      clock: this.clock,
      keyspace: () => this.#keyspace,
      background: work => executor.background(work),
      mayExpire: () => this.activeExpire && this.#mayRemoveKeys,
      took: ms => this.#took('expire-cycle', ms),
    })
    cycle.roundsPerSecond = this.config.values.hz
    cycle.effort = this.config.values.activeExpireEffort
    return cycle
  }

  #newMemoryControl(): MemoryControl {
    return new MemoryControl({
      clock: this.clock,
      config: this.config,
      log: this.log,
      latency: this.latency,
      stats: this.stats,
      sessions: this.#sessions,
      executor: () => this.#executor,
      store: () => this.#store,
      scripts: () => this.scripts,
      mayEvict: () => this.#mayRemoveKeys,
    })
  }

  /** Keys may go by themselves: nothing is loading, paused, or in the way of journaling it. */
  get #mayRemoveKeys(): boolean {
    const { held, loading, pause } = this.#executor
    return !held && !loading && pause.mode === undefined && this.#store.writeFault === undefined
  }

  #newListener(): Listener {
    const { users } = this
    const { values } = this.config
    const policy: DoorPolicy = {
      get clientsMax() {
        return values.maxclients
      },
      get keepAliveS() {
        return values.tcpKeepalive
      },
      get idleS() {
        return values.timeout
      },
      get localOnly() {
        return values.protectedMode && users.default.nopass
      },
      get parserLimits() {
        return {
          bulkBytesMax: values.protoMaxBulkLen,
          queryBytesMax: values.clientQueryBufferLimit,
          unauthenticated: users.passwordRequired,
        }
      },
    }
    const options = {
      ...this.#tcpPlace(),
      unixPath: values.unixsocket,
      unixMode: values.unixsocketperm,
      backlog: values.tcpBacklog,
    }
    return new Listener(options, policy, this.stats, transport => this.#accept(transport), this.#executor.tick)
  }

  #accept(transport: Transport): ClientSession {
    const session = new ClientSession(this.#sessions.newId(), transport, this.#executor)
    this.#sessions.add(session)
    return session
  }

  #tcpPlace(): TcpPlace {
    const { port, bind } = this.config.values
    return { port: bind.length === 0 ? undefined : port, bind }
  }

  // --- failures

  /** A defect of ours: what was executed before it goes to the journal, then the process must end. */
  #panic(error: unknown, doing: string): void {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.log.warning(`A defect was met while running '${doing}'; the server stops. Please report this: ${what}`)
    if (this.#stopped) return
    this.#stopped = true
    this.#store
      .synced()
      .catch(() => undefined)
      .finally(() => this.#onStopped(1))
  }

  // --- the end

  shutdown(options: { save: boolean; now: boolean; force: boolean }): void {
    const busy = this.scripts.busyText
    if (busy === undefined) void this.close(options)
    else if (options.save) throw new ReplyError(busy)
    else if (this.scripts.end()) this.#abandon()
    else void this.close(options)
  }

  /** Ends in the middle of a script that has written: what it did must reach neither journal nor checkpoint. */
  #abandon(): void {
    this.log.warning('SHUTDOWN NOSAVE ends a script that has written; nothing of it is kept.')
    this.#executor.abandon()
    Object.assign(this.#store.triggers, { intervalMs: 0, dirtyBytes: 0, journalBytes: 0, replayRecords: 0 })
    this.#ending ??= this.#close(false).then(() => this.#onStopped(0))
  }

  /** Ends the server: last replies, last checkpoint (unless `save` is false: the journal holds everything), folder. */
  close(options: { save?: boolean; now?: boolean } = {}): Promise<void> {
    this.#ending ??= this.#end(options.save !== false, options.now === true)
    return this.#ending
  }

  async #end(save: boolean, now: boolean): Promise<void> {
    this.log.notice('User requested shutdown...')
    this.#loading?.cancel()
    this.#listener.stopAccepting()
    this.#executor.hold(true)
    await new Promise(resolve => setImmediate(resolve))
    for (const session of Array.from(this.#sessions)) session.close('after-reply')
    const untilMs = this.clock.monotonicUs() / 1000 + FAREWELL_MS_MAX
    while (!now && this.#sessions.size > 0 && this.clock.monotonicUs() / 1000 < untilMs) {
      await new Promise(resolve => setTimeout(resolve, FAREWELL_LOOK_MS))
    }
    await this.#close(save)
    this.log.notice('Millrace is now ready to exit, bye bye...')
    this.#onStopped(0)
  }

  async #close(save: boolean): Promise<void> {
    this.loopDelay.stop()
    this.#expireCycle.stop()
    this.#memory.stop()
    this.#outputLimits.stop()
    await this.#listener.close()
    this.#executor.deadlines.close()
    await this.#store.close({ checkpoint: save })
    this.#stopped = true
  }
}
