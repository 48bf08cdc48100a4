// The sections of INFO: Redis' field names, in its order, with what is true here. Fields of things that do not exist
// here (replicas, forks, defragmentation) keep the value that tools take for "none".

import { arch, release, totalmem, type as systemName } from 'node:os'
import { MILLRACE_VERSION, REDIS_VERSION } from '../base/version.js'
import { clientCounts } from './info-clients.js'
import { humanBytes, memoryFigures } from './memory-figures.js'
import type { Server } from './server.js'

export type Fields = Record<string, string | number>

const DAY_S = 86400
/** Redis' clock of access times: seconds in 24 bits. */
const LRU_CLOCK_MASK = 0xffffff

export function serverFields(server: Server): Fields {
  const { clock, config } = server
  const uptimeS = Math.floor((clock.nowMs() - server.startedAtMs) / 1000)
  return {
    redis_version: REDIS_VERSION,
    redis_git_sha1: '00000000',
    redis_git_dirty: 0,
    redis_build_id: '0',
    redis_mode: 'standalone',
    millrace_version: MILLRACE_VERSION,
    node_version: process.version,
    os: `${systemName()} ${release()} ${arch() === 'x64' ? 'x86_64' : arch()}`,
    arch_bits: 64,
    monotonic_clock: 'performance.now',
    multiplexing_api: 'libuv',
    atomicvar_api: 'none',
    gcc_version: '0.0.0',
    process_id: process.pid,
    process_supervised: 'no',
    run_id: server.runId,
    tcp_port: server.tcpPort,
    server_time_usec: clock.nowUs(),
    uptime_in_seconds: uptimeS,
    uptime_in_days: Math.floor(uptimeS / DAY_S),
    hz: config.values.hz,
    configured_hz: config.values.hz,
    lru_clock: Math.floor(clock.nowMs() / 1000) & LRU_CLOCK_MASK,
    executable: process.argv[1] ?? process.execPath,
    config_file: config.file ?? '',
    io_threads_active: 0,
  }
}

export function clientsFields(server: Server): Fields {
  const counts = clientCounts(server)
  return {
    connected_clients: counts.connected,
    cluster_connections: 0,
    maxclients: server.config.values.maxclients,
    client_recent_max_input_buffer: counts.inputBytesMax,
    client_recent_max_output_buffer: counts.outputBytesMax,
    blocked_clients: server.blockedCount,
    tracking_clients: server.tracking.clientCount,
    clients_in_timeout_table: server.blockedCount,
    total_blocking_keys: server.blockedKeyCount,
    long_replies_running: server.longReplies.count,
    long_replies_started: server.longReplies.started,
    long_replies_pinned_bytes: server.longReplies.pinnedBytes,
  }
}

export function memoryFields(server: Server): Fields {
  const { used, rss, peak, startup, stats } = memoryFigures(server)
  const { maxmemory, maxmemoryPolicy } = server.config.values
  const percent = (part: number, whole: number) => `${(whole === 0 ? 0 : (part / whole) * 100).toFixed(2)}%`
  const ratio = (name: string) => stats[name].toFixed(2)
  return {
    used_memory: used,
    used_memory_human: humanBytes(used),
    used_memory_rss: rss,
    used_memory_rss_human: humanBytes(rss),
    used_memory_peak: peak,
    used_memory_peak_human: humanBytes(peak),
    used_memory_peak_perc: percent(used, peak),
    used_memory_overhead: stats['overhead.total'],
    used_memory_startup: startup,
    used_memory_dataset: stats['dataset.bytes'],
    used_memory_dataset_perc: percent(stats['dataset.bytes'], used),
    allocator_allocated: stats['allocator.allocated'],
    allocator_active: stats['allocator.active'],
    allocator_resident: stats['allocator.resident'],
    total_system_memory: totalmem(),
    total_system_memory_human: humanBytes(totalmem()),
    used_memory_lua: 0,
    used_memory_vm_eval: 0,
    used_memory_lua_human: '0B',
    used_memory_scripts_eval: 0,
    number_of_cached_scripts: 0,
    number_of_functions: 0,
    number_of_libraries: 0,
    used_memory_vm_functions: 0,
    used_memory_vm_total: 0,
    used_memory_vm_total_human: '0B',
    used_memory_functions: 0,
    used_memory_scripts: 0,
    used_memory_scripts_human: '0B',
    maxmemory,
    maxmemory_human: humanBytes(maxmemory),
    maxmemory_policy: maxmemoryPolicy,
    allocator_frag_ratio: ratio('allocator-fragmentation.ratio'),
    allocator_frag_bytes: stats['allocator-fragmentation.bytes'],
    allocator_rss_ratio: ratio('allocator-rss.ratio'),
    allocator_rss_bytes: stats['allocator-rss.bytes'],
    rss_overhead_ratio: ratio('rss-overhead.ratio'),
    rss_overhead_bytes: stats['rss-overhead.bytes'],
    mem_fragmentation_ratio: ratio('fragmentation'),
    mem_fragmentation_bytes: stats['fragmentation.bytes'],
    mem_not_counted_for_evict: 0,
    mem_replication_backlog: 0,
    mem_total_replication_buffers: 0,
    mem_clients_slaves: 0,
    mem_clients_normal: stats['clients.normal'],
    mem_cluster_links: 0,
    mem_aof_buffer: 0,
    mem_allocator: 'v8',
    active_defrag_running: 0,
    lazyfree_pending_objects: server.keyspace.lazyFreePending,
    lazyfreed_objects: 0,
  }
}

export function persistenceFields(server: Server): Fields {
  const { durability, loading } = server
  const seconds = durability.lastCheckpointSeconds
  return {
    loading: loading ? 1 : 0,
    async_loading: 0,
    current_cow_peak: 0,
    current_cow_size: 0,
    current_cow_size_age: 0,
    current_fork_perc: '0.00',
    current_save_keys_processed: 0,
    current_save_keys_total: 0,
    rdb_changes_since_last_save: durability.changesSinceCheckpoint,
    rdb_bgsave_in_progress: durability.checkpointRunning ? 1 : 0,
    rdb_last_save_time: Math.floor(durability.lastCheckpointMs / 1000),
    rdb_last_bgsave_status: durability.lastCheckpointOk ? 'ok' : 'err',
    rdb_last_bgsave_time_sec: Math.round(seconds),
    rdb_current_bgsave_time_sec: -1,
    rdb_saves: 0,
    rdb_last_cow_size: 0,
    rdb_last_load_keys_expired: 0,
    rdb_last_load_keys_loaded: 0,
    aof_enabled: 1,
    aof_rewrite_in_progress: 0,
    aof_rewrite_scheduled: 0,
    aof_last_rewrite_time_sec: Math.round(seconds),
    aof_current_rewrite_time_sec: -1,
    aof_last_bgrewrite_status: durability.lastCheckpointOk ? 'ok' : 'err',
    aof_rewrites: 0,
    aof_rewrites_consecutive_failures: 0,
    aof_last_write_status: durability.writeFault === undefined ? 'ok' : 'err',
    aof_last_cow_size: 0,
    module_fork_in_progress: 0,
    module_fork_last_cow_size: 0,
    ...server.loadingFields?.(),
  }
}

/** Ours: what the store says about journal, pages and LMDB, in snake case. */
export function storageFields({ durability }: Server): Fields {
  const fields: Fields = { write_fault: durability.writeFault ?? '', damaged_pieces: 0, damage_refusals: 0 }
  for (const [name, value] of Object.entries(durability.figures())) {
    fields[name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)] = value
  }
  return fields
}

/** Ours: what all streams keep, for replay and for deliveries, and what of the disk is in use. */
export function capacityFields({ memory, durability }: Server): Fields {
  const { fileBytes, reclaimableBytes, retiredObjects } = durability.figures()
  return {
    ...memory?.capacity.infoFields(),
    capacity_occupied_bytes: fileBytes - reclaimableBytes,
    capacity_reclaimable_bytes: reclaimableBytes,
    capacity_retired_objects: retiredObjects,
  }
}

export function statsFields(server: Server): Fields {
  const { stats } = server
  return {
    total_connections_received: stats.connectionsReceived,
    total_commands_processed: stats.commandsProcessed,
    instantaneous_ops_per_sec: 0,
    total_net_input_bytes: stats.netInputBytes,
    total_net_output_bytes: stats.netOutputBytes,
    total_net_repl_input_bytes: 0,
    total_net_repl_output_bytes: 0,
    instantaneous_input_kbps: '0.00',
    instantaneous_output_kbps: '0.00',
    instantaneous_input_repl_kbps: '0.00',
    instantaneous_output_repl_kbps: '0.00',
    rejected_connections: stats.rejectedConnections,
    sync_full: 0,
    sync_partial_ok: 0,
    sync_partial_err: 0,
    expired_keys: stats.expiredKeys,
    expired_subkeys: stats.expiredFields,
    expired_stale_perc: '0.00',
    expired_time_cap_reached_count: 0,
    expire_cycle_cpu_milliseconds: 0,
    evicted_keys: stats.evictedKeys,
    evicted_clients: stats.evictedClients,
    total_eviction_exceeded_time: 0,
    current_eviction_exceeded_time: 0,
    keyspace_hits: stats.keyspaceHits,
    keyspace_misses: stats.keyspaceMisses,
    pubsub_channels: server.pubsub.count('channel'),
    pubsub_patterns: server.pubsub.count('pattern'),
    pubsubshard_channels: server.pubsub.count('shard'),
    latest_fork_usec: 0,
    total_forks: 0,
    migrate_cached_sockets: 0,
    slave_expires_tracked_keys: 0,
    active_defrag_hits: 0,
    active_defrag_misses: 0,
    active_defrag_key_hits: 0,
    active_defrag_key_misses: 0,
    total_active_defrag_time: 0,
    current_active_defrag_time: 0,
    tracking_total_keys: server.tracking.keyCount,
    tracking_total_items: server.tracking.itemCount,
    tracking_total_prefixes: server.tracking.prefixCount,
    unexpected_error_replies: stats.unexpectedErrorReplies,
    total_error_replies: stats.totalErrorReplies,
    dump_payload_sanitizations: 0,
    total_reads_processed: 0,
    total_writes_processed: 0,
    io_threaded_reads_processed: 0,
    io_threaded_writes_processed: 0,
    reply_buffer_shrinks: 0,
    reply_buffer_expands: 0,
    ...loopFields(server),
  }
}

/** Ours: microseconds that the event loop keeps others waiting. */
function loopFields({ loopDelay }: Server): Fields {
  if (loopDelay === undefined) return {}
  const busy = loopDelay.busyUs([50, 99, 99.99, 100])
  return {
    event_loop_delay_p50_usec: loopDelay.percentileUs(50),
    event_loop_delay_p99_usec: loopDelay.percentileUs(99),
    event_loop_delay_p9999_usec: loopDelay.percentileUs(99.99),
    event_loop_delay_max_usec: loopDelay.maxUs,
    ...(busy && {
      event_loop_busy_p50_usec: busy[0],
      event_loop_busy_p99_usec: busy[1],
      event_loop_busy_p9999_usec: busy[2],
      event_loop_busy_max_usec: busy[3],
    }),
  }
}

export function replicationFields(server: Server): Fields {
  return {
    role: 'master',
    connected_slaves: 0,
    master_failover_state: 'no-failover',
    master_replid: server.runId,
    master_replid2: '0'.repeat(40),
    master_repl_offset: 0,
    second_repl_offset: -1,
    repl_backlog_active: 0,
    repl_backlog_size: 0,
    repl_backlog_first_byte_offset: 0,
    repl_backlog_histlen: 0,
  }
}

export function cpuFields(): Fields {
  const { user, system } = process.cpuUsage()
  const seconds = (us: number) => (us / 1e6).toFixed(6)
  return {
    used_cpu_sys: seconds(system),
    used_cpu_user: seconds(user),
    used_cpu_sys_children: '0.000000',
    used_cpu_user_children: '0.000000',
  }
}
