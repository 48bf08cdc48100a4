// The table of directives that do something here, by Redis' names and with ours behind them. Each row: kind of value,
// default, what it does. Those that are accepted without effect stand in config-inert. Used by: config, docs.
//
// Names of Config.values follow from the row: 'slowlog-max-len' is slowlogMaxLen.

import {
  INT32_MAX,
  count,
  integer,
  list,
  memory,
  memoryOrPercent,
  octal,
  oneOf,
  path,
  someOf,
  text,
  yesNo,
} from './config-types.js'
import type { OptionType } from './config-types.js'
import { eventLetters, outputLimits, percentiles } from './config-special.js'

export interface Option<V = unknown> {
  readonly type: OptionType<V>
  readonly default: V
  /** What it does, one sentence; for a row without effect: why it has none. */
  readonly text: string
  /** Cannot be changed while the server runs. */
  readonly immutable: boolean
  /** CONFIG SET needs enable-protected-configs. */
  readonly protected: boolean
  /** CONFIG GET shows it only when it is asked for by its exact name. */
  readonly hidden: boolean
  readonly aliases: readonly string[]
  /** Repeating the directive in a file adds to it (save). */
  readonly accumulates: boolean
  /** Why this value cannot work here, or undefined. */
  refuse?(value: V): string | undefined
}

type Traits<V> = Partial<Omit<Option<V>, 'type' | 'default' | 'text'>>

/** A row. `traits` says what is unusual about it. */
export function option<V>(type: OptionType<V>, initial: V, words: string, traits: Traits<V> = {}): Option<V> {
  return {
    type,
    default: initial,
    text: words,
    immutable: false,
    protected: false,
    hidden: false,
    aliases: [],
    accumulates: false,
    ...traits,
  }
}

const FIXED = { immutable: true } as const
const KIB = 1024
const MIB = 1024 * KIB
const LONG_MAX = 2 ** 63
const PORT_MAX = 65535

const signals = () => someOf('default', 'save', 'nosave', 'now', 'force')
const permission = () => oneOf('no', 'yes', 'local')

const network = {
  port: option(integer(0, PORT_MAX), 6379, 'TCP port to listen on; 0 lets the system pick a free one.'),
  bind: option(
    list('addresses; a leading - makes one optional', 16),
    ['127.0.0.1', '-::1'],
    'Addresses to listen on; none closes TCP and leaves the Unix socket.',
  ),
  'protected-mode': option(
    yesNo(),
    true,
    'Without a password and with the default `bind`, connections from other machines are refused.',
  ),
  unixsocket: option(path(), '', 'Path of a Unix socket to listen on as well.', FIXED),
  unixsocketperm: option(octal(0o777), 0, 'Permissions of the Unix socket; 0 leaves those of the umask.', FIXED),
  'tcp-backlog': option(integer(0, INT32_MAX), 511, 'Length of the queue of connections not yet accepted.', FIXED),
  'tcp-keepalive': option(integer(0, INT32_MAX), 300, 'Idle time in seconds before TCP probes a client; 0 for never.'),
  timeout: option(integer(0, INT32_MAX), 0, 'Idle clients are closed after so many seconds; 0 for never.'),
  maxclients: option(integer(1, 4294967295), 10000, 'Connections above this number are refused.'),
  requirepass: option(text(), '', 'Password of the default user; empty for none.'),
  'proto-max-bulk-len': option(memory(MIB, LONG_MAX), 512 * MIB, 'Longest single argument.'),
  'client-query-buffer-limit': option(
    memory(MIB, LONG_MAX),
    1024 * MIB,
    'A client with more bytes received and not yet executed is closed.',
  ),
  'client-output-buffer-limit': option(
    outputLimits,
    {
      normal: { hardBytes: 0, softBytes: 0, softSeconds: 0 },
      replica: { hardBytes: 256 * MIB, softBytes: 64 * MIB, softSeconds: 60 },
      pubsub: { hardBytes: 32 * MIB, softBytes: 8 * MIB, softSeconds: 60 },
    },
    'A client with more unsent bytes is closed: at once above the hard limit, or after so long above the soft one.',
  ),
}

const memoryOptions = {
  maxmemory: option(
    memory(0, 2 ** 64),
    0,
    'Bound of directory, values and pages in memory, buffers and Lua together; 0 for none. See docs/operating.md.',
  ),
  'maxmemory-policy': option(
    oneOf(
      'volatile-lru',
      'volatile-lfu',
      'volatile-random',
      'volatile-ttl',
      'allkeys-lru',
      'allkeys-lfu',
      'allkeys-random',
      'noeviction',
    ),
    'noeviction',
    'Which keys go when clean pages are not enough; with noeviction none, and what needs memory answers OOM.',
  ),
  'maxmemory-samples': option(
    integer(1, INT32_MAX),
    5,
    'Keys drawn per database to find one that goes; more come nearer to the true order.',
  ),
  'maxmemory-eviction-tenacity': option(
    integer(0, 100),
    10,
    'How long one command may wait for others to be evicted: 50 us each up to 10, then 15 % more each; 100: no bound.',
  ),
  'maxmemory-evict-grouped-streams': option(
    yesNo(),
    false,
    'Whether a stream with consumer groups may be evicted like any key.',
  ),
  'maxmemory-clients': option(
    memoryOrPercent(),
    0,
    'Bound of what clients hold together; beyond it the largest are closed. 0 for none.',
  ),
  'lfu-log-factor': option(
    integer(0, INT32_MAX),
    10,
    'How many accesses it takes to raise the counter of a key under an LFU policy.',
  ),
  'lfu-decay-time': option(
    integer(0, INT32_MAX),
    1,
    'Minutes after which the counter of an unused key loses one; 0 for never.',
  ),
  'lazyfree-lazy-eviction': option(
    yesNo(),
    false,
    'Whether an eviction is journaled as UNLINK instead of DEL; what is dropped is reclaimed in slices either way.',
  ),
  'page-cache-bytes': option(
    memory(MIB, LONG_MAX),
    256 * MIB,
    'Budget for pages kept in memory; clean pages beyond it are evicted.',
  ),
}

const durability = {
  dir: option(path(), 'data', 'Data folder: journal and LMDB. Made absolute at start.', {
    ...FIXED,
    protected: true,
  }),
  appendfsync: option(
    oneOf('everysec', 'always', 'no'),
    'everysec',
    'When the journal is synced: before each reply, within a second, or when the kernel likes.',
  ),
  'checkpoint-interval': option(
    integer(1, INT32_MAX),
    60,
    'Seconds after which changes are brought from the journal into LMDB.',
  ),
  'checkpoint-dirty-bytes': option(
    memory(MIB, LONG_MAX),
    512 * MIB,
    'Changed bytes in memory that start a checkpoint early.',
  ),
  'checkpoint-replay-records': option(
    integer(0, LONG_MAX),
    100_000,
    'Records to replay after a crash that start a checkpoint, if it is cheap to write beside that. 0: never.',
  ),
  'reply-stall-timeout': option(
    integer(0, INT32_MAX),
    60,
    'Seconds after which a client is closed that takes nothing of a long reply. 0: never.',
  ),
  'journal-max-bytes': option(memory(MIB, LONG_MAX), 1024 * MIB, 'Size of the journal that starts a checkpoint early.'),
  'stop-writes-on-bgsave-error': option(
    yesNo(),
    true,
    'Kept and shown. A failed checkpoint loses nothing; writes stop when twice what starts one waits for it.',
  ),
  'shutdown-on-sigint': option(signals(), [], 'How SIGINT ends the server, in the words of SHUTDOWN.'),
  'shutdown-on-sigterm': option(signals(), [], 'How SIGTERM ends the server, in the words of SHUTDOWN.'),
  'min-replicas-to-write': option(
    integer(0, INT32_MAX),
    0,
    'Replicas that must be connected for a write; there are none here, so that anything above 0 refuses all writes.',
    { aliases: ['min-slaves-to-write'] },
  ),
}

const dataTypes = {
  databases: option(integer(1, INT32_MAX), 16, 'Number of databases.', FIXED),
  'string-row-max-bytes': option(
    memory(64, LONG_MAX),
    256 * KIB,
    'A string that becomes longer is kept in pieces: what changes it then costs the pieces it concerns.',
  ),
  'stream-node-max-entries': option(
    count(),
    100,
    'Entries of a stream node, the unit that `XTRIM ~` removes; new nodes only. 0 for no bound.',
  ),
  'stream-node-max-bytes': option(
    memory(0, LONG_MAX),
    4096,
    'Bytes of a stream node, the unit that `XTRIM ~` removes; new nodes only. 0 for no bound.',
  ),
  'stream-idmp-duration': option(
    integer(1, 86_400),
    100,
    'Seconds for which a stream knows the idempotent IDs of XADD, unless XCFGSET says otherwise.',
  ),
  'stream-idmp-maxsize': option(
    integer(1, 10_000),
    100,
    'Idempotent IDs that a stream knows of each producer, unless XCFGSET says otherwise.',
  ),
  'stream-exact-lag': option(
    yesNo(),
    true,
    'Whether lag and entries-read of XINFO are counted; no: estimated by the rule of Redis 7.0, null where that fails.',
  ),
  'stream-group-ages': option(
    yesNo(),
    false,
    'Whether XINFO GROUPS tells the ages of the oldest pending and the oldest undelivered entry of a group.',
  ),
  'stream-capacity': option(
    yesNo(),
    false,
    'Whether XINFO STREAM FULL tells what a stream takes: entries and their bytes, groups, pending entries and theirs.',
  ),
  'hash-max-listpack-entries': option(count(), 512, 'Fields up to which a hash is kept as one packed value.', {
    aliases: ['hash-max-ziplist-entries'],
  }),
  'hash-max-listpack-value': option(memory(), 64, 'Longest field or value of a packed hash.', {
    aliases: ['hash-max-ziplist-value'],
  }),
  'list-max-listpack-size': option(
    integer(-INT32_MAX - 1, INT32_MAX),
    -2,
    'Elements, or with -1 to -5 bytes (4, 8, 16, 32, 64 KiB), up to which a list is kept as one packed value.',
    { aliases: ['list-max-ziplist-size'] },
  ),
  'set-max-intset-entries': option(count(), 512, 'Members up to which a set of integers is packed as such.'),
  'set-max-listpack-entries': option(count(), 128, 'Members up to which a set is kept as one packed value.'),
  'set-max-listpack-value': option(memory(), 64, 'Longest member of a packed set.'),
  'zset-max-listpack-entries': option(count(), 128, 'Members up to which a sorted set is kept as one packed value.', {
    aliases: ['zset-max-ziplist-entries'],
  }),
  'zset-max-listpack-value': option(memory(), 64, 'Longest member of a packed sorted set.', {
    aliases: ['zset-max-ziplist-value'],
  }),
}

const users = {
  aclfile: option(
    path(),
    '',
    'File of the users, for ACL LOAD and ACL SAVE; relative to `dir`. Empty for none.',
    FIXED,
  ),
  'acl-pubsub-default': option(
    oneOf('allchannels', 'resetchannels'),
    'resetchannels',
    'Whether a new user may use all channels of PUBLISH and SUBSCRIBE, or none.',
  ),
  'acllog-max-len': option(count(), 128, 'Entries that ACL LOG keeps.'),
}

const execution = {
  hz: option(
    { ...integer(0, INT32_MAX), parse: ([word], was) => clamp(integer(0, INT32_MAX).parse([word], was), 1, 500) },
    10,
    'Rounds of background work (expiry, time-outs) a second; held between 1 and 500.',
  ),
  'active-expire-effort': option(
    integer(1, 10),
    1,
    'How much time a round of background work may spend on expired keys.',
  ),
  'busy-reply-threshold': option(
    count(),
    5000,
    'Milliseconds after which a running script may be killed and others are answered BUSY; 0 for never.',
    { aliases: ['lua-time-limit'] },
  ),
  'lua-enable-deprecated-api': option(yesNo(), false, 'Whether scripts have getfenv, setfenv and newproxy.', {
    ...FIXED,
    hidden: true,
  }),
  'notify-keyspace-events': option(eventLetters, '', 'Which events are published as keyspace notifications.'),
  'enable-debug-command': option(permission(), 'no', 'Who may use DEBUG: nobody, everybody, or local clients.', FIXED),
  'enable-protected-configs': option(
    permission(),
    'no',
    'Who may CONFIG SET the directives marked protected: nobody, everybody, or local clients.',
    FIXED,
  ),
}

const observability = {
  loglevel: option(oneOf('debug', 'verbose', 'notice', 'warning'), 'notice', 'How much is logged.'),
  logfile: option(path(), '', 'File to log to; empty for standard output.', FIXED),
  pidfile: option(path(), '', 'File that holds the process id while the server runs; empty for none.', FIXED),
  'slowlog-log-slower-than': option(
    count(-1),
    10000,
    'Commands that take at least these microseconds enter the slow log; 0 for all, -1 for none.',
  ),
  'slowlog-max-len': option(count(), 128, 'Entries the slow log keeps.'),
  'latency-monitor-threshold': option(
    count(),
    0,
    'Events of at least these milliseconds are kept for LATENCY; 0 for none.',
  ),
  'tracking-table-max-keys': option(
    count(),
    1_000_000,
    'Keys remembered for CLIENT TRACKING at most; beyond it those first read are invalidated. 0 for no limit.',
  ),
  'latency-tracking': option(yesNo(), true, 'Whether the time of each command is counted for LATENCY HISTOGRAM.'),
  'latency-tracking-info-percentiles': option(percentiles, [50, 99, 99.9], 'Percentiles that INFO latencystats shows.'),
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}

/** By part, for the documentation. */
export const OPTION_PARTS = {
  Network: network,
  Memory: memoryOptions,
  Durability: durability,
  'Data types': dataTypes,
  Users: users,
  Execution: execution,
  'Logging and observation': observability,
} as const

export const OPTIONS = {
  ...network,
  ...memoryOptions,
  ...durability,
  ...dataTypes,
  ...users,
  ...execution,
  ...observability,
}

type Camel<S extends string> = S extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S
type ValueOf<O> = O extends Option<infer V> ? V : never

/** The present values, by camel-case name: plain fields for hot paths. Read-only for everybody but Config. */
export type ConfigValues = {
  -readonly [K in keyof typeof OPTIONS as Camel<K>]: ValueOf<(typeof OPTIONS)[K]>
}

export function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}
