// The server and its clients as commands see them. Implemented in exec/ and joined in server.ts.

import type { Clock } from '../base/clock.js'
import type { Config } from '../base/config.js'
import type { Keyspace } from '../types/keyspace.js'
import type { AclUser } from './acl-user.js'
import type { AclUsers } from './acl-users.js'
import type { Scripts } from './scripts.js'
import type { CommandTable } from './table.js'

/** One client connection, or an internal caller. */
export interface Session {
  readonly id: number
  /** CLIENT SETNAME; '' when unset. latin1. */
  name: string
  libName: string
  libVersion: string
  /** 'ip:port' of the client and of our end; a path with ':0' for Unix sockets. */
  readonly address: string
  readonly localAddress: string
  /** File descriptor of the socket, for CLIENT LIST. */
  readonly fd?: number
  /** A watched key has changed, so that EXEC would fail. */
  readonly watchBroken?: boolean
  /** Stands for a running script. */
  readonly isScript?: boolean
  /** In MONITOR. */
  readonly monitoring?: boolean
  /** In SYNC. */
  readonly following?: boolean
  /** CLIENT TRACKING; undefined when it is off. */
  readonly tracking?: TrackingState
  protocol: 2 | 3
  databaseIndex: number
  /** Whose rules decide what it may do. */
  account: AclUser
  authenticated: boolean
  readonly createdAtMs: number
  lastInteractionMs: number
  /** Full name of the last command, 'client|list'. */
  lastCommand: string
  noEvict: boolean
  noTouch: boolean
  /** CLIENT REPLY. 'skip' silences the next command only. */
  replyMode: 'on' | 'off' | 'skip-next' | 'skip'
  readonly blocked: boolean
  readonly inMulti: boolean
  /** Number of commands queued, -1 outside MULTI. */
  readonly multiCount: number
  readonly watchCount: number
  readonly subscriptions: number
  readonly patternSubscriptions: number
  readonly shardSubscriptions: number
  /** Names it subscribed to. */
  readonly subscribed: Readonly<Record<SubscriptionKind, ReadonlySet<string>>>
  /** Subscribed to anything at all. */
  readonly subscriber: boolean
  /** Bytes waiting to be parsed, bytes waiting to be sent, and a fair guess of all memory of the client. */
  readonly queryBufferBytes: number
  readonly queryBufferFreeBytes: number
  readonly outputBytes: number
  readonly outputChunks: number
  readonly memoryBytes: number
  /** Above the hard limit of its output: it is closed when its command ends, so long replies may as well stop. */
  readonly outputFull?: boolean
  readonly closing: boolean
  /** Ends the connection once what was written has left ('after-reply') or at once. */
  close(when: 'now' | 'after-reply'): void
  /** Back to the state of a new connection, for RESET. Does not touch the protocol reply itself. */
  reset(): void
  /** Ends its wait: as timed out, or with -UNBLOCKED. False when it was not blocked. */
  unblock(how: 'timeout' | 'error'): boolean
}

export interface CommandStat {
  calls: number
  usec: number
  rejectedCalls: number
  failedCalls: number
}

/** Counters of INFO, reset by CONFIG RESETSTAT. */
export interface Stats {
  connectionsReceived: number
  commandsProcessed: number
  netInputBytes: number
  netOutputBytes: number
  rejectedConnections: number
  expiredKeys: number
  /** Fields of hashes. */
  expiredFields: number
  evictedKeys: number
  evictedClients: number
  keyspaceHits: number
  keyspaceMisses: number
  totalErrorReplies: number
  unexpectedErrorReplies: number
  /** By full command name. */
  readonly commands: Map<string, CommandStat>
  /** By error code ('ERR', 'WRONGTYPE'). */
  readonly errors: Map<string, number>
  reset(): void
}

/** What is done about memory. */
export interface MemoryParts {
  /** Sums over all streams, for INFO capacity. */
  readonly capacity: { infoFields(): Readonly<Record<string, number>> }
  /** Looks for garbage now, and gives what is free back to the system soon after. */
  purge(): void
}

/** What the store tells INFO, SAVE, WAITAOF and friends. */
export interface Durability {
  /** Starts a checkpoint, or joins the running one. Resolves when it is durable. */
  checkpoint(): Promise<void>
  readonly checkpointRunning: boolean
  readonly lastCheckpointMs: number
  readonly lastCheckpointOk: boolean
  readonly lastCheckpointSeconds: number
  readonly changesSinceCheckpoint: number
  /** Why writes are refused at present ('MISCONF …'), or undefined. */
  readonly writeFault: string | undefined
  /** Writes should wait: the running checkpoint must be over first. */
  readonly congested: boolean
  /** Resolves when everything executed until now is on the device. */
  synced(): Promise<void>
  /** Name to number: dirty, cached, journal, retired, reclaimable and file bytes, counts; for INFO and DEBUG. */
  figures(): Record<string, number>
}

export interface SlowlogEntry {
  readonly id: number
  readonly timeS: number
  readonly durationUs: number
  readonly args: readonly Buffer[]
  readonly address: string
  readonly name: string
}

export interface Slowlog {
  readonly entries: readonly SlowlogEntry[]
  reset(): void
}

export interface LatencyMonitor {
  /** Samples per event, newest last: [unix seconds, ms]. */
  readonly events: ReadonlyMap<
    string,
    { readonly samples: readonly (readonly [number, number])[]; readonly maxMs: number }
  >
  /** Forgets the named events, or all; returns how many were forgotten. */
  reset(events: readonly string[]): number
  /** Per full command name: microseconds (upper bounds) to counts, for LATENCY HISTOGRAM and latencystats. */
  histogram(
    command: string,
  ): { readonly calls: number; readonly buckets: readonly (readonly [number, number])[] } | undefined
  percentile(command: string, percent: number): number | undefined
}

export type SubscriptionKind = 'channel' | 'pattern' | 'shard'

/** Publish and subscribe. Names are latin1 strings. */
export interface PubSub {
  /** Each writes its confirmation to the client. */
  subscribe(session: Session, kind: SubscriptionKind, name: string): void
  unsubscribe(session: Session, kind: SubscriptionKind, name: string): void
  /** Confirms each name left, or once that there was none. */
  unsubscribeAll(session: Session, kind: SubscriptionKind): void
  /** Returns how many clients get it; one that fits by several patterns counts each time. */
  publish(channel: string, message: Buffer): number
  publishToShard(channel: string, message: Buffer): number
  /** Names with a subscriber. */
  names(kind: SubscriptionKind): Iterable<string>
  /** How many names have a subscriber. */
  count(kind: SubscriptionKind): number
  subscriberCount(kind: SubscriptionKind, name: string): number
}

export interface TrackingOptions {
  /** Number of the client that is told in place of this one; 0 for none. */
  readonly redirect: number
  /** Told of every key with one of the prefixes, not of keys that it read. */
  readonly broadcast: boolean
  readonly optIn: boolean
  readonly optOut: boolean
  /** Not told of its own changes. */
  readonly noLoop: boolean
  readonly prefixes: readonly string[]
}

/** How a client tracks keys. */
export interface TrackingState extends Omit<TrackingOptions, 'prefixes'> {
  readonly prefixes: Set<string>
  /** CLIENT CACHING was called, for the next command. */
  caching: boolean
  /** The client to be told is gone. */
  broken: boolean
}

/** Client-side caching. */
export interface Tracking {
  /** Turns it on, or changes its options; prefixes add up. */
  begin(session: Session, options: TrackingOptions): void
  end(session: Session): void
  /** For INFO: clients that track, keys remembered, keys times their readers, prefixes. */
  readonly clientCount: number
  readonly keyCount: number
  readonly itemCount: number
  readonly prefixCount: number
}

export interface ExchangeResult {
  readonly failed: 'connecting' | 'writing' | 'reading' | undefined
  /** What the other server had answered by then. */
  readonly reply: Buffer
}

/** How long the event loop keeps others waiting. */
export interface LoopDelay {
  readonly maxUs: number
  percentileUs(percent: number): number
  /** As exec/loop-delay. */
  busyUs(percents: readonly number[]): readonly number[] | undefined
  reset(): void
}

export interface Server {
  readonly clock: Clock
  readonly config: Config
  readonly keyspace: Keyspace
  readonly table: CommandTable
  readonly users: AclUsers
  readonly scripts: Scripts
  readonly stats: Stats
  readonly durability: Durability
  readonly slowlog: Slowlog
  readonly latency: LatencyMonitor
  readonly pubsub: PubSub
  readonly tracking: Tracking
  /** Replies that are sent as their clients take them: running, begun ever, and what they hold. */
  readonly longReplies: { readonly count: number; readonly started: number; readonly pinnedBytes: number }
  /** How long the event loop keeps others waiting. */
  readonly loopDelay?: LoopDelay
  readonly memory?: MemoryParts
  readonly runId: string
  readonly startedAtMs: number
  readonly tcpPort: number
  readonly loading: boolean
  /** All connected clients in order of id. */
  sessions(): Iterable<Session>
  session(id: number): Session | undefined
  /** Clients that wait for keys, or for the end of a pause. */
  readonly blockedCount: number
  /** MONITOR: the client is shown every command from now on. */
  monitor(session: Session): void
  /** SYNC: the client is sent every change from now on. */
  follow(session: Session): void
  /** CLIENT PAUSE until `untilMs`; writes only, or everything. */
  pause(untilMs: number, mode: 'write' | 'all'): void
  unpause(): void
  /** Number of keys somebody is blocked on, and the like, for INFO clients. */
  readonly blockedKeyCount: number
  /**
   * SHUTDOWN. Replies are finished first. `save` false skips the final checkpoint: the journal still holds everything.
   */
  shutdown(options: { save: boolean; now: boolean; force: boolean }): void
  /**
   * Begins work that ends later: the client waits (its next commands too) until the promise settles, then `done` or
   * `failed` writes the reply.
   */
  later(session: Session, work: Promise<unknown>, done: (reply: import('../resp/reply.js').Reply) => void): void
  /** DEBUG RELOAD and LOADAOF: checkpoint (RELOAD only), close, reopen, replay. Resolves when the data is back. */
  reload(options: { checkpoint: boolean }): Promise<void>
  /**
   * MIGRATE: sends `request` to the server at host:port and reads until `lines` lines have come. Blocks the process,
   * each step for at most `timeoutMs`. `failed`: the step at which it ended before that.
   */
  exchange(host: string, port: number, timeoutMs: number, request: Buffer, lines: number): ExchangeResult
  /** DEBUG SLEEP: blocks the whole process. */
  sleepSync(seconds: number): void
  /** Replaces the listening port after CONFIG SET port; rejects when it cannot bind. */
  rebind(): Promise<void>
  /** DEBUG SET-ACTIVE-EXPIRE. */
  activeExpire: boolean
  /** Fields of INFO by Redis' name that other parts know better than commands/info: they replace its own figures. */
  infoFields?(): Readonly<Record<string, string | number>>
  /** Fields of INFO persistence that are there while data are being loaded. */
  loadingFields?(): Readonly<Record<string, string | number>>
  readonly log?: { notice(message: string): void }
}
