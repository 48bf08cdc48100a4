// A FakeContext with a whole server behind it: sessions, statistics, durability, slow log, latency; for tests of the
// commands about connections and about the server. Work that ends later is awaited by askLater().

import type { Test } from 'tap'
import { AclUsers } from '../../src/commands/acl-users.js'
import { connectionCommands } from '../../src/commands/connection.js'
import { serverCommands } from '../../src/commands/admin.js'
import type { Durability, Server, Session } from '../../src/commands/server.js'
import type { CommandSpec } from '../../src/commands/spec.js'
import { Latency } from '../../src/exec/latency.js'
import { PubSub } from '../../src/exec/pubsub.js'
import { SlowlogList } from '../../src/exec/slowlog.js'
import { ServerStats } from '../../src/exec/stats.js'
import { Tracking } from '../../src/exec/tracking.js'
import type { ClientSession } from '../../src/exec/session.js'
import type { Reply } from '../../src/resp/reply.js'
import { FakeContext } from './fake-context.js'
import type { FakeArgument } from './fake-context.js'
import { findRedisServer, startRedisServer } from './redis-server.js'
import { RespClient } from './resp-client.js'

export type FakeSession = { -readonly [K in keyof Session]: Session[K] } & { readonly log: string[] }

/** A session that notes what is done to it in `log`. */
export function fakeSession(id: number, more: Partial<Session> = {}): FakeSession {
  const log: string[] = []
  const session = {
    id,
    name: '',
    libName: '',
    libVersion: '',
    address: `127.0.0.1:${1000 + id}`,
    localAddress: '127.0.0.1:6379',
    fd: 7,
    protocol: 2,
    databaseIndex: 0,
    account: { name: 'default', unrestricted: true },
    authenticated: true,
    createdAtMs: 1_700_000_000_000,
    lastInteractionMs: 1_700_000_000_000,
    lastCommand: 'NULL',
    noEvict: false,
    noTouch: false,
    replyMode: 'on',
    blocked: false,
    inMulti: false,
    multiCount: -1,
    watchCount: 0,
    subscriptions: 0,
    patternSubscriptions: 0,
    shardSubscriptions: 0,
    subscriber: false,
    queryBufferBytes: 0,
    queryBufferFreeBytes: 0,
    outputBytes: 0,
    outputChunks: 0,
    memoryBytes: 1000,
    closing: false,
    close: (when: string) => void log.push(`close ${when}`),
    reset: () => void log.push('reset'),
    unblock(how: string) {
      log.push(`unblock ${how}`)
      return true
    },
    ...more,
  } as Session
  return Object.assign(session as FakeSession, { log })
}

export class FakeServer {
  readonly context: FakeContext
  readonly me = fakeSession(1)
  readonly others: FakeSession[] = []
  readonly stats = new ServerStats()
  readonly slowlog = new SlowlogList()
  readonly latency = new Latency(this.stats)
  readonly pubsub = new PubSub()
  /** What was asked of the server, in order. */
  readonly log: string[] = []
  readonly durability = {
    checkpointRunning: false,
    lastCheckpointMs: 1_700_000_000_000,
    lastCheckpointOk: true,
    lastCheckpointSeconds: 0,
    changesSinceCheckpoint: 3,
    writeFault: undefined as string | undefined,
    congested: false,
    checkpoint: async () => void this.log.push('checkpoint'),
    synced: async () => void this.log.push('synced'),
    figures: () => ({
      journalBytes: 12,
      dirtyBytes: 34,
      cachedBytes: 56,
      coldReadsFetched: 0,
      coldReadsAtOnce: 0,
      retiredObjects: 7,
      fileBytes: 8192,
      reclaimableBytes: 4096,
    }),
  }
  rebindFails = false
  reloadFails = false
  #later: { work: Promise<unknown>; done: (reply: Reply) => void }[] = []

  constructor(more: readonly CommandSpec<never>[] = []) {
    this.context = new FakeContext([...connectionCommands, ...serverCommands, ...more])
    Object.assign(this.context.session, this.me)
    // The context's own session must be ours: commands compare ids and change it.
    Object.defineProperty(this.context, 'session', { value: this.me })
    const { reply } = this.context
    Object.defineProperty(this.me, 'protocol', {
      get: () => reply.protocol,
      set(version: 2 | 3) {
        reply.protocol = version
      },
    })
    Object.assign(this.context.server, this.#parts())
  }

  #parts(): Partial<Server> {
    const { me, others, log } = this
    return {
      table: this.context.table,
      users: new AclUsers(this.context.table, this.context.config),
      stats: this.stats,
      durability: this.durability as Durability,
      slowlog: this.slowlog,
      latency: this.latency,
      runId: 'f'.repeat(40),
      startedAtMs: 1_699_999_000_000,
      tcpPort: 6379,
      loading: false,
      blockedCount: 2,
      blockedKeyCount: 1,
      longReplies: { count: 0, started: 0, pinnedBytes: 0 },
      activeExpire: true,
      sessions: () => [me, ...others],
      session: id => [me, ...others].find(session => session.id === id),
      pubsub: this.pubsub,
      tracking: new Tracking({
        table: this.context.table,
        sessions: { get: id => [me, ...others].find(session => session.id === id) as unknown as ClientSession },
        server: { config: this.context.config },
      }),
      monitor: session => void log.push(`monitor ${session.id}`),
      pause: (untilMs, mode) => void log.push(`pause ${untilMs} ${mode}`),
      unpause: () => void log.push('unpause'),
      shutdown: options => void log.push(`shutdown ${JSON.stringify(options)}`),
      later: (_session, work, done) => void this.#later.push({ work, done }),
      exchange: (host, port) => {
        log.push(`exchange ${host}:${port}`)
        return { failed: 'connecting', reply: Buffer.alloc(0) }
      },
      sleepSync: seconds => void log.push(`sleep ${seconds}`),
      reload: async ({ checkpoint }) => {
        log.push(`reload ${checkpoint}`)
        if (this.reloadFails) throw new Error('broken')
      },
      rebind: async () => {
        log.push('rebind')
        if (this.rebindFails) throw new Error('in use')
      },
    }
  }

  ask(...args: FakeArgument[]): string {
    return this.context.ask(...args)
  }

  /** Runs a command whose answer comes later, and waits for it. */
  async askLater(...args: FakeArgument[]): Promise<string> {
    const first = this.ask(...args)
    const later = this.#later.shift()
    if (later === undefined) throw new Error(`${args.join(' ')} answered at once: ${first}`)
    await later.work
    later.done(this.context.reply)
    return Buffer.concat(this.context.reply.take()).toString('latin1')
  }
}

/** Compares the exact replies of redis-server and ours to `lines`, in both protocols; a text is split at spaces. */
export async function sameAsRedis(
  t: Test,
  lines: readonly (string | readonly string[])[],
  flags: readonly string[] = [],
  prepare: (server: FakeServer) => void = () => undefined,
): Promise<void> {
  if (findRedisServer() === undefined) {
    t.comment('no redis-server here: nothing to compare with')
    return
  }
  const redis = await startRedisServer(flags)
  t.teardown(() => redis.stop())
  for (const protocol of [2, 3] as const) {
    const client = await RespClient.connect(redis.port)
    t.teardown(() => client.close())
    if (protocol === 3) await client.command('HELLO', 3)
    const ours = new FakeServer()
    ours.me.protocol = protocol
    prepare(ours)
    for (const line of lines) {
      const args = typeof line === 'string' ? line.split(' ') : line
      const expected = await client.text(...args)
      t.equal(ours.ask(...args), expected, `RESP${protocol} ${args.join(' ')}`)
    }
  }
}
