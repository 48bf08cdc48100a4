// An executor without sockets and disk: clients are fake transports, the journal a list, time a FakeClock. Commands are
// the table the test gives; ticks end when the test says so.

import { AclUsers } from '../../src/commands/acl-users.js'
import { FakeClock } from '../../src/base/clock.js'
import { Config } from '../../src/base/config.js'
import type { Server } from '../../src/commands/server.js'
import type { CommandSpec } from '../../src/commands/spec.js'
import { CommandTable } from '../../src/commands/table.js'
import { transactionCommands } from '../../src/commands/transaction.js'
import { ClientMemory } from '../../src/exec/client-memory.js'
import { Eviction } from '../../src/exec/eviction.js'
import { Executor } from '../../src/exec/executor.js'
import { Latency } from '../../src/exec/latency.js'
import { MemoryGuard } from '../../src/exec/memory-guard.js'
import { OutputLimits } from '../../src/exec/output-limits.js'
import { ClientSession } from '../../src/exec/session.js'
import { SessionRegistry } from '../../src/exec/session-registry.js'
import { SlowlogList } from '../../src/exec/slowlog.js'
import { ServerStats } from '../../src/exec/stats.js'
import type { Transport } from '../../src/exec/transport.js'
import { requestOf } from '../../src/resp/request.js'
import type { EffectSink } from '../../src/store/effects.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { Keyspace } from '../../src/types/keyspace.js'
import { Seeded } from './seeded.js'

export class FakeTransport implements Transport {
  address = '127.0.0.1:1'
  localAddress = '127.0.0.1:2'
  unix = false
  fd = 7
  unsentBytes = 0
  unsentChunks = 0
  bufferedInputBytes = 0
  freeInputBytes = 0
  closed = false
  sent = ''
  ended = false
  destroyed = false
  /** Commands the client sent while parsing was stopped. */
  readonly pending: (readonly (string | number)[])[] = []
  onResume: () => void = () => undefined
  send(chunks: Buffer[]): void {
    this.sent += Buffer.concat(chunks).toString('latin1')
  }
  resume(): void {
    this.onResume()
  }
  destroy(): void {
    this.destroyed = true
  }
  endAfterSend(): void {
    this.ended = true
  }
  pauseReading(): void {}
  setParserLimits(): void {}
}

/** One line per effect: '<database>:<arguments>'; a record is a list of them. */
export class FakeSink implements EffectSink {
  readonly records: string[][] = []
  #open: string[] | undefined
  begin(): void {
    if (this.#open !== undefined) throw new Error('a record is open already')
    this.#open = []
  }
  add(database: number, bytes: Buffer, from: number, to: number): void {
    this.#push(database, bytes.toString('latin1', from, to))
  }
  addArguments(database: number, args: readonly (Buffer | string | number | bigint)[]): void {
    this.#open!.push(`${database}:${args.map(String).join(' ')}`)
  }
  addSpliced(
    database: number,
    bytes: Buffer,
    from: number,
    to: number,
    cutFrom: number,
    cutTo: number,
    piece: Buffer,
    pieceBytes: number,
  ): void {
    const latin1 = (buffer: Buffer, start: number, end: number) => buffer.toString('latin1', start, end)
    this.#push(database, latin1(bytes, from, cutFrom) + latin1(piece, 0, pieceBytes) + latin1(bytes, cutTo, to))
  }
  end(): void {
    this.records.push(this.#open!)
    this.#open = undefined
  }
  abandon(): void {
    this.#open = undefined
  }
  #push(database: number, resp: string): void {
    const words = resp.split('\r\n').filter((_, i) => i > 0 && i % 2 === 0)
    this.#open!.push(`${database}:${words.join(' ')}`)
  }
}

export class ExecHarness {
  readonly clock = new FakeClock(1_000_000)
  readonly config = new Config()
  readonly stats = new ServerStats()
  readonly slowlog = new SlowlogList()
  readonly latency = new Latency(this.stats)
  readonly sessions = new SessionRegistry()
  readonly sink = new FakeSink()
  readonly table: CommandTable
  readonly executor: Executor
  readonly #random = new Seeded(1)
  readonly rows = new MemoryRows()
  readonly clientMemory = new ClientMemory({
    sessions: this.sessions,
    log: undefined,
    evicted: () => this.stats.evictedClients++,
  })
  readonly eviction = new Eviction(() => this.#random.fraction())
  readonly memory = new MemoryGuard({
    clock: this.clock,
    clients: this.clientMemory,
    eviction: this.eviction,
    keyspace: () => this.executor.keyspace,
    cache: () => this.rows.cache,
    luaBytes: () => 0,
    mayEvict: () => this.durability.writeFault === undefined,
    background: work => this.executor.background(work),
    evict: ({ db, entry }) => this.executor.removals.evict(db, entry.name, 'DEL'),
    wantCheckpoint: () => undefined,
    took: () => undefined,
  })
  /** Its writeFault may be set. */
  readonly durability: { writeFault: string | undefined; congested: boolean } = {
    writeFault: undefined,
    congested: false,
  }
  /** Calls of commit that were not answered; with holdCommits they stay here. */
  readonly commits: ((fault?: string) => void)[] = []
  holdCommits = false
  readonly panics: unknown[] = []
  readonly damages: string[] = []
  /** Clients closed for taking nothing of a long reply. */
  readonly stalled: number[] = []

  constructor(commands: readonly CommandSpec<never>[]) {
    this.table = new CommandTable([...transactionCommands, ...commands])
    const keyspace = new Keyspace({ rows: this.rows, databases: 16, clock: this.clock })
    const executor = () => this.executor
    const server = {
      clock: this.clock,
      config: this.config,
      users: new AclUsers(this.table, this.config),
      durability: this.durability,
      get pubsub() {
        return executor().pubsub
      },
      get tracking() {
        return executor().tracking
      },
      session: (id: number) => this.sessions.get(id),
      monitor: (session: ClientSession) => this.executor.monitors.add(session),
    } as unknown as Server
    this.executor = new Executor({
      server,
      clock: this.clock,
      table: this.table,
      keyspace,
      sink: this.sink,
      commit: done => {
        if (this.holdCommits) this.commits.push(done)
        else done()
      },
      stats: this.stats,
      slowlog: this.slowlog,
      latency: this.latency,
      sessions: this.sessions,
      outputLimits: new OutputLimits(this.config.values.clientOutputBufferLimit, () => undefined),
      memory: this.memory,
      clientMemory: this.clientMemory,
      preamble: () => undefined,
      panic: error => this.panics.push(error),
      damaged: error => {
        this.damages.push(error.message)
        return `CORRUPT ${error.message}`
      },
      streamTimeoutMs: () => this.config.values.replyStallTimeout * 1000,
      stalled: session => this.stalled.push(session.id),
    })
  }

  client(): FakeClient {
    const transport = new FakeTransport()
    const session = new ClientSession(this.sessions.newId(), transport, this.executor)
    this.sessions.add(session)
    return new FakeClient(session, transport, this.executor)
  }

  /** Ends the tick: replies leave, unless commits are held. */
  endTick(): void {
    this.executor.tick.end()
  }

  close(): void {
    this.executor.deadlines.close()
    this.memory.stop()
  }
}

export class FakeClient {
  #stopped = false
  constructor(
    readonly session: ClientSession,
    readonly transport: FakeTransport,
    readonly executor: Executor,
  ) {
    transport.onResume = () => {
      this.#stopped = false
      while (!this.#stopped && transport.pending.length > 0) this.#hand(transport.pending.shift()!)
    }
  }

  /** Sends a command; it is executed now unless the server stopped parsing. */
  send(...args: readonly (string | number)[]): void {
    if (this.#stopped) this.transport.pending.push(args)
    else this.#hand(args)
  }

  /** Sends a command, ends the tick and returns everything received since the last call. */
  ask(...args: readonly (string | number)[]): string {
    this.send(...args)
    this.executor.tick.end()
    return this.received()
  }

  received(): string {
    const text = this.transport.sent
    this.transport.sent = ''
    return text
  }

  #hand(args: readonly (string | number)[]): void {
    this.#stopped = this.session.onRequest(requestOf(args)) === 'stop'
  }
}
