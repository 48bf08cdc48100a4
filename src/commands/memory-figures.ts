// Memory of the process as INFO and MEMORY STATS tell it. Measured, not accounted: what the engine holds for objects
// and buffers. Other parts correct single fields by Server.infoFields().

import type { Server } from './server.js'

export interface MemoryFigures {
  readonly used: number
  readonly rss: number
  readonly peak: number
  readonly startup: number
  /** Fields of MEMORY STATS, in its order. */
  readonly stats: Readonly<Record<string, number>>
}

/** Highest reading per server: the engine keeps none. */
const peaks = new WeakMap<Server, { peak: number; startup: number }>()

export function memoryFigures(server: Server): MemoryFigures {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  const fields = server.infoFields?.() ?? {}
  const known = fields.used_memory
  const used = typeof known === 'number' ? known : heapUsed + external
  const seen = peaks.get(server) ?? { peak: used, startup: used }
  const peak = fields.used_memory_peak
  seen.peak = Math.max(seen.peak, used, typeof peak === 'number' ? peak : 0)
  peaks.set(server, seen)
  const keys = server.keyspace.databases.reduce((sum, db) => sum + db.size, 0)
  let clients = 0
  for (const session of server.sessions()) clients += session.memoryBytes
  const dataset = Math.max(0, used - Math.min(seen.startup, used) - clients)
  const stats = {
    'peak.allocated': seen.peak,
    'total.allocated': used,
    'startup.allocated': seen.startup,
    'replication.backlog': 0,
    'clients.slaves': 0,
    'clients.normal': clients,
    'cluster.links': 0,
    'aof.buffer': 0,
    'lua.caches': Number(fields.used_memory_vm_eval ?? 0) + Number(fields.used_memory_scripts_eval ?? 0),
    'functions.caches': Number(fields.used_memory_functions ?? 0),
    'overhead.total': used - dataset,
    'keys.count': keys,
    'keys.bytes-per-key': keys === 0 ? 0 : Math.floor(dataset / keys),
    'dataset.bytes': dataset,
    'dataset.percentage': used === 0 ? 0 : (dataset / used) * 100,
    'peak.percentage': seen.peak === 0 ? 0 : (used / seen.peak) * 100,
    'allocator.allocated': heapUsed + external,
    'allocator.active': heapTotal + external,
    'allocator.resident': rss,
    'allocator-fragmentation.ratio': (heapTotal + external) / (heapUsed + external),
    'allocator-fragmentation.bytes': heapTotal - heapUsed,
    'allocator-rss.ratio': rss / (heapTotal + external),
    'allocator-rss.bytes': rss - heapTotal - external,
    'rss-overhead.ratio': 1,
    'rss-overhead.bytes': 0,
    fragmentation: used === 0 ? 0 : rss / used,
    'fragmentation.bytes': rss - used,
    ...storeFigures(server),
  }
  return { used, rss, peak: seen.peak, startup: seen.startup, stats }
}

/** Ours, behind those of Redis: where the data are, in memory and on the disk. */
function storeFigures({ durability, longReplies }: Server): Record<string, number> {
  const figures = durability.figures()
  return {
    'pages.cached.bytes': figures.cachedBytes,
    'pages.pinned.bytes': longReplies.pinnedBytes,
    'changes.bytes': figures.dirtyBytes,
    'journal.bytes': figures.journalBytes,
    'file.bytes': figures.fileBytes,
    'file.reclaimable.bytes': figures.reclaimableBytes,
    'retired.objects': figures.retiredObjects,
  }
}

const UNITS = ['B', 'K', 'M', 'G', 'T', 'P']

/** '1.25M', as the _human fields of INFO print bytes. */
export function humanBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${value.toFixed(2)}${UNITS[unit]}`
}
