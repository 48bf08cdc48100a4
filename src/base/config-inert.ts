// Directives of Redis that are accepted, kept, shown and rewritten, but change nothing here; each with the reason.
// Some values would promise what we cannot keep (TLS, a master to follow): those are refused. Used by: config.

import { INT32_MAX, count, integer, list, memory, oneOf, text, yesNo } from './config-types.js'
import { master, oomScores, savePoints, titleFault } from './config-special.js'
import { option } from './config-options.js'
import type { Option } from './config-options.js'

const FIXED = { immutable: true } as const
const MIB = 1024 * 1024
const LONG_MAX = 2 ** 63
const PORT_MAX = 65535

const int = (initial: number, why: string, min = 0, max = INT32_MAX) => option(integer(min, max), initial, why)
const flag = (initial: boolean, why: string, traits = {}) => option(yesNo(), initial, why, traits)
const word = (initial: string, why: string, traits = {}) => option(text(), initial, why, traits)

const RDB = 'There are no RDB files: checkpoints go to LMDB.'
const AOF = 'The journal takes the place of the append-only file and has no rewrite of its own.'
const REPLICATION = 'There is no replication.'
const CLUSTER = 'There is no cluster mode.'
const ALLOCATOR = 'Memory is managed by the JavaScript engine and the page cache.'
const LAZY = 'Dropped objects are always reclaimed in background slices.'
const THREADS = 'The threads are fixed: commands, journal, LMDB, prefetch.'
const TLS = 'There is no TLS; let a proxy end it.'
const SYSLOG = 'The log goes to standard output or to a file.'
const PROCESS = 'The process is left to the service manager.'

const onlyOff = (what: string) => ({ refuse: (on: boolean) => (on ? `${what} is not supported` : undefined) })

const persistence = {
  save: option(
    savePoints,
    [
      { seconds: 3600, changes: 1 },
      { seconds: 300, changes: 100 },
      { seconds: 60, changes: 10000 },
    ],
    'Every write is in the journal; checkpoints follow checkpoint-interval.',
    { accumulates: true },
  ),
  appendonly: flag(true, 'The journal is always on.'),
  appendfilename: word('appendonly.aof', AOF, FIXED),
  appenddirname: word('appendonlydir', AOF, FIXED),
  dbfilename: word('dump.rdb', RDB, { protected: true }),
  rdbcompression: flag(true, RDB),
  rdbchecksum: flag(true, RDB, FIXED),
  'rdb-del-sync-files': flag(false, RDB),
  'rdb-save-incremental-fsync': flag(true, RDB),
  'rdb-key-save-delay': option(integer(-INT32_MAX - 1, INT32_MAX), 0, RDB, { hidden: true }),
  'key-load-delay': option(integer(-INT32_MAX - 1, INT32_MAX), 0, RDB, { hidden: true }),
  'sanitize-dump-payload': option(oneOf('no', 'yes', 'clients'), 'no', 'A payload given to RESTORE is always checked.'),
  'aof-load-truncated': flag(true, 'A torn tail of the journal is always cut with a warning.'),
  'aof-rewrite-incremental-fsync': flag(true, AOF),
  'aof-timestamp-enabled': flag(false, AOF),
  'aof-use-rdb-preamble': flag(true, AOF),
  'aof-disable-auto-gc': flag(false, AOF),
  'auto-aof-rewrite-min-size': option(memory(0, LONG_MAX), 64 * MIB, AOF),
  'auto-aof-rewrite-percentage': int(100, AOF),
  'no-appendfsync-on-rewrite': flag(false, AOF),
}

const replication = {
  replicaof: option(master, '', REPLICATION, {
    immutable: true,
    aliases: ['slaveof'],
    refuse: refuseText('following a master'),
  }),
  masterauth: word('', REPLICATION),
  masteruser: word('', REPLICATION),
  'min-replicas-max-lag': option(integer(0, INT32_MAX), 10, REPLICATION, { aliases: ['min-slaves-max-lag'] }),
  'repl-backlog-size': option(memory(1, LONG_MAX), MIB, REPLICATION),
  'repl-backlog-ttl': option(count(), 3600, REPLICATION),
  'repl-disable-tcp-nodelay': flag(false, REPLICATION),
  'repl-diskless-load': option(oneOf('disabled', 'on-empty-db', 'swapdb'), 'disabled', REPLICATION),
  'repl-diskless-sync': flag(true, REPLICATION),
  'repl-diskless-sync-delay': int(5, REPLICATION),
  'repl-diskless-sync-max-replicas': int(0, REPLICATION),
  'repl-ping-replica-period': option(integer(1, INT32_MAX), 10, REPLICATION, { aliases: ['repl-ping-slave-period'] }),
  'repl-timeout': int(60, REPLICATION, 1),
  'replica-announce-ip': word('', REPLICATION, { aliases: ['slave-announce-ip'] }),
  'replica-announce-port': option(integer(0, PORT_MAX), 0, REPLICATION, { aliases: ['slave-announce-port'] }),
  'replica-announced': flag(true, REPLICATION),
  'replica-ignore-disk-write-errors': flag(false, REPLICATION),
  'replica-ignore-maxmemory': flag(true, REPLICATION, { aliases: ['slave-ignore-maxmemory'] }),
  'replica-lazy-flush': flag(false, REPLICATION, { aliases: ['slave-lazy-flush'] }),
  'replica-priority': option(integer(0, INT32_MAX), 100, REPLICATION, { aliases: ['slave-priority'] }),
  'replica-read-only': flag(true, REPLICATION, { aliases: ['slave-read-only'] }),
  'replica-serve-stale-data': flag(true, REPLICATION, { aliases: ['slave-serve-stale-data'] }),
  'propagation-error-behavior': option(oneOf('ignore', 'panic', 'panic-on-replicas'), 'ignore', REPLICATION),
}

const cluster = {
  'cluster-enabled': flag(false, CLUSTER, { immutable: true, ...onlyOff('cluster mode') }),
  'cluster-config-file': word('nodes.conf', CLUSTER, FIXED),
  'cluster-port': option(integer(0, PORT_MAX), 0, CLUSTER, FIXED),
  'cluster-allow-pubsubshard-when-down': flag(true, CLUSTER),
  'cluster-allow-reads-when-down': flag(false, CLUSTER),
  'cluster-allow-replica-migration': flag(true, CLUSTER),
  'cluster-announce-bus-port': int(0, CLUSTER, 0, PORT_MAX),
  'cluster-announce-hostname': word('', CLUSTER),
  'cluster-announce-ip': word('', CLUSTER),
  'cluster-announce-port': int(0, CLUSTER, 0, PORT_MAX),
  'cluster-announce-tls-port': int(0, CLUSTER, 0, PORT_MAX),
  'cluster-link-sendbuf-limit': option(memory(0, LONG_MAX), 0, CLUSTER),
  'cluster-migration-barrier': int(1, CLUSTER),
  'cluster-node-timeout': option(count(), 15000, CLUSTER),
  'cluster-preferred-endpoint-type': option(oneOf('ip', 'hostname', 'unknown-endpoint'), 'ip', CLUSTER),
  'cluster-replica-no-failover': flag(false, CLUSTER, { aliases: ['cluster-slave-no-failover'] }),
  'cluster-replica-validity-factor': option(integer(0, INT32_MAX), 10, CLUSTER, {
    aliases: ['cluster-slave-validity-factor'],
  }),
  'cluster-require-full-coverage': flag(true, CLUSTER),
}

const DEFRAG_REFUSED =
  'Active defragmentation cannot be enabled: it requires a Redis server compiled with a modified Jemalloc like ' +
  'the one shipped by default with the Redis source distribution'

const memoryRows = {
  activedefrag: flag(false, ALLOCATOR, { refuse: (on: boolean) => (on ? DEFRAG_REFUSED : undefined) }),
  'active-defrag-cycle-max': int(25, ALLOCATOR, 1, 99),
  'active-defrag-cycle-min': int(1, ALLOCATOR, 1, 99),
  'active-defrag-ignore-bytes': option(memory(1, LONG_MAX), 100 * MIB, ALLOCATOR),
  'active-defrag-max-scan-fields': option(count(1), 1000, ALLOCATOR),
  'active-defrag-threshold-lower': int(10, ALLOCATOR, 0, 1000),
  'active-defrag-threshold-upper': int(100, ALLOCATOR, 0, 1000),
  activerehashing: flag(true, ALLOCATOR),
  'jemalloc-bg-thread': flag(true, ALLOCATOR),
  'disable-thp': flag(true, ALLOCATOR, FIXED),
  'lazyfree-lazy-expire': flag(false, LAZY),
  'lazyfree-lazy-server-del': flag(false, LAZY),
  'lazyfree-lazy-user-del': flag(false, LAZY),
  'lazyfree-lazy-user-flush': flag(false, LAZY),
  'list-compress-depth': int(0, 'Pages are compressed on disk by LMDB.'),
  'hll-sparse-max-bytes': option(memory(0, LONG_MAX), 3000, 'The HyperLogLog commands are left out.'),
}

const processRows = {
  'always-show-logo': flag(false, 'There is no logo.', FIXED),
  aof_rewrite_cpulist: word('', THREADS, FIXED),
  bgsave_cpulist: word('', THREADS, FIXED),
  bio_cpulist: word('', THREADS, FIXED),
  server_cpulist: word('', THREADS, FIXED),
  'io-threads': option(integer(1, 128), 1, THREADS, FIXED),
  'io-threads-do-reads': flag(false, THREADS, FIXED),
  'bind-source-addr': word('', 'The server opens no connections of its own.'),
  'crash-log-enabled': flag(true, 'A crash is always logged.'),
  'crash-memcheck-enabled': flag(true, 'There is no memory test.'),
  daemonize: flag(false, PROCESS, { immutable: true, ...onlyOff('running in the background by itself') }),
  supervised: option(oneOf('upstart', 'systemd', 'auto', 'no'), 'no', PROCESS, FIXED),
  'oom-score-adj': option(oneOf('no', 'yes', 'relative', 'absolute'), 'no', PROCESS),
  'oom-score-adj-values': option(oomScores, [0, 200, 800], PROCESS),
  'proc-title-template': option(text(titleFault), '{title} {listen-addr} {server-mode}', PROCESS),
  'set-proc-title': flag(true, PROCESS, FIXED),
  'dynamic-hz': flag(true, 'Background work follows its load by itself.'),
  'enable-module-command': option(oneOf('no', 'yes', 'local'), 'no', 'There are no modules.', FIXED),
  'ignore-warnings': word('', 'There is no start-up check to silence.'),
  'shutdown-timeout': int(10, 'There are no replicas to wait for.'),
  'socket-mark-id': option(integer(0, 4294967295), 0, 'Sockets cannot be marked from here.', FIXED),
  'syslog-enabled': flag(false, SYSLOG, FIXED),
  'syslog-facility': option(
    oneOf('user', 'local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7'),
    'local0',
    SYSLOG,
    FIXED,
  ),
  'syslog-ident': word('redis', SYSLOG, FIXED),
}

const tls = {
  'tls-port': option(integer(0, PORT_MAX), 0, TLS, {
    refuse: port => (port === 0 ? undefined : 'TLS is not supported'),
  }),
  'tls-auth-clients': option(oneOf('no', 'yes', 'optional'), 'yes', TLS),
  'tls-ca-cert-dir': word('', TLS),
  'tls-ca-cert-file': word('', TLS),
  'tls-cert-file': word('', TLS),
  'tls-ciphers': word('', TLS),
  'tls-ciphersuites': word('', TLS),
  'tls-client-cert-file': word('', TLS),
  'tls-client-key-file': word('', TLS),
  'tls-client-key-file-pass': word('', TLS),
  'tls-cluster': flag(false, TLS),
  'tls-dh-params-file': word('', TLS),
  'tls-key-file': word('', TLS),
  'tls-key-file-pass': word('', TLS),
  'tls-prefer-server-ciphers': flag(false, TLS),
  'tls-protocols': option(list('TLS versions', 8), [], TLS),
  'tls-replication': flag(false, TLS),
  'tls-session-cache-size': int(20480, TLS),
  'tls-session-cache-timeout': int(300, TLS),
  'tls-session-caching': flag(true, TLS),
}

function refuseText(what: string): (value: string) => string | undefined {
  return value => (value === '' ? undefined : `${what} is not supported`)
}

export const INERT_PARTS: Record<string, Record<string, Option>> = {
  Persistence: persistence,
  Replication: replication,
  Cluster: cluster,
  Memory: memoryRows,
  Process: processRows,
  TLS: tls,
}
