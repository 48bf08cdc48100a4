// INFO: chooses sections, prints their fields, and the sections whose fields depend on what was called.

import type { Args } from './args.js'
import {
  capacityFields,
  clientsFields,
  cpuFields,
  memoryFields,
  persistenceFields,
  replicationFields,
  serverFields,
  statsFields,
  storageFields,
} from './info-sections.js'
import type { Fields } from './info-sections.js'
import type { Server } from './server.js'
import { defineCommand, Flag } from './spec.js'

/** In the order in which they are printed; `usual`: without being asked for. */
const SECTIONS: readonly { name: string; usual: boolean; fields(server: Server): Fields }[] = [
  { name: 'Server', usual: true, fields: serverFields },
  { name: 'Clients', usual: true, fields: clientsFields },
  { name: 'Memory', usual: true, fields: memoryFields },
  { name: 'Persistence', usual: true, fields: persistenceFields },
  { name: 'Storage', usual: true, fields: storageFields },
  { name: 'Capacity', usual: false, fields: capacityFields },
  { name: 'Stats', usual: true, fields: statsFields },
  { name: 'Replication', usual: true, fields: replicationFields },
  { name: 'CPU', usual: true, fields: cpuFields },
  { name: 'Modules', usual: true, fields: () => ({}) },
  { name: 'Commandstats', usual: false, fields: commandFields },
  { name: 'Errorstats', usual: true, fields: errorFields },
  { name: 'Latencystats', usual: false, fields: latencyFields },
  { name: 'Cluster', usual: true, fields: () => ({ cluster_enabled: 0 }) },
  { name: 'Keyspace', usual: true, fields: keyspaceFields },
]

function commandFields({ stats }: Server): Fields {
  const fields: Fields = {}
  for (const [name, { calls, usec, rejectedCalls, failedCalls }] of stats.commands) {
    if (calls === 0 && rejectedCalls === 0 && failedCalls === 0) continue
    const perCall = calls === 0 ? 0 : usec / calls
    fields[`cmdstat_${name}`] =
      `calls=${calls},usec=${Math.round(usec)},usec_per_call=${perCall.toFixed(2)},` +
      `rejected_calls=${rejectedCalls},failed_calls=${failedCalls}`
  }
  return fields
}

function errorFields({ stats }: Server): Fields {
  return Object.fromEntries([...stats.errors].map(([code, count]) => [`errorstat_${code}`, `count=${count}`]))
}

function latencyFields({ stats, latency, config }: Server): Fields {
  const fields: Fields = {}
  const { latencyTracking, latencyTrackingInfoPercentiles } = config.values
  if (!latencyTracking) return fields
  for (const name of stats.commands.keys()) {
    if (latency.histogram(name) === undefined) continue
    fields[`latency_percentiles_usec_${name}`] = latencyTrackingInfoPercentiles
      .map(percent => `p${percent}=${(latency.percentile(name, percent) ?? 0).toFixed(3)}`)
      .join(',')
  }
  return fields
}

function keyspaceFields({ keyspace }: Server): Fields {
  const fields: Fields = {}
  for (const db of keyspace.databases) {
    if (db.size === 0) continue
    fields[`db${db.index}`] = `keys=${db.size},expires=${db.expiringCount},avg_ttl=${Math.floor(db.averageTtlMs())}`
  }
  return fields
}

/** The text of INFO for section names in lower case; none means the usual ones. */
export function infoText(server: Server, asked: readonly string[]): string {
  const all = asked.includes('all') || asked.includes('everything')
  const usual = asked.length === 0 || asked.includes('default')
  const corrections = server.infoFields?.() ?? {}
  const texts: string[] = []
  for (const section of SECTIONS) {
    if (!all && !(usual && section.usual) && !asked.includes(section.name.toLowerCase())) continue
    const lines = Object.entries(section.fields(server)).map(
      ([name, value]) => `${name}:${corrections[name] ?? value}\r\n`,
    )
    texts.push(`# ${section.name}\r\n${lines.join('')}`)
  }
  return texts.join('\r\n')
}

export const infoCommand = defineCommand({
  name: 'info',
  arity: -1,
  flags: Flag.Loading | Flag.Stale,
  categories: ['dangerous'],
  keys: [],
  group: 'server',
  since: '1.0.0',
  summary: 'Figures of the server in sections.',
  complexity: 'O(1)',
  tips: ['nondeterministic_output', 'request_policy:all_shards', 'response_policy:special'],
  parse(args: Args) {
    return args.texts().map(name => name.toLowerCase())
  },
  run: ({ reply, server }, names) => reply.verbatim('txt', infoText(server, names)),
})
