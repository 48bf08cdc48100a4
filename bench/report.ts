// The tables of a run in Markdown. Used by: run.

import { execFileSync } from 'node:child_process'
import { cpus, release, totalmem } from 'node:os'
import { compare } from './figures.js'
import type { PeerName } from './peer.js'
import type { Result } from './sampling.js'

function compact(n: number): string {
  return n >= 100 ? Math.round(n).toLocaleString('en') : n.toPrecision(3)
}
const percent = (share: number) => `${Math.round(share * 100)} %`
const megabytes = (bytes: number) => (bytes === 0 ? '-' : `${compact(bytes / 1e6)} MB`)
const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

/** Machine, versions and conditions, in a few lines. */
export function conditions(peer: PeerName, rounds: number): string {
  const redis = execFileSync('redis-server', ['--version'], { encoding: 'utf8' }).trim()
  const cpu = cpus()[0]?.model ?? 'unknown processor'
  const memory = Math.round(totalmem() / 2 ** 30)
  return [
    `${cpus().length} x ${cpu}, ${memory} GiB, Linux ${release()}, Node.js ${process.version}; ${redis}.`,
    peer === 'redis'
      ? 'Both with an append-only log and the fsync policy named in the row, on the same disk;'
      : `Compared with the server at ${peer}, configured by whoever runs it;`,
    `medians of ${rounds} rounds, the two servers alternating; in each a fresh client process and, where we start`,
    'it, a fresh server process and folder. CPU is user + system time of the whole server process per operation.',
  ].join('\n')
}

export function speedTable(results: readonly Result[], peerName: string): string {
  const head = ['row', `${peerName} /s`, 'Millrace /s', 'throughput ratio', `${peerName} CPU µs`, 'Millrace CPU µs']
  const lines = results.map(result => {
    const { peer, millrace, throughputRatio, cpuRatio } = compare(result)
    return row([
      `${result.row.name} (per ${result.row.unit})`,
      compact(peer.perSecond),
      compact(millrace.perSecond),
      `**${throughputRatio.toFixed(2)}**`,
      cpuRatio === undefined ? '-' : compact(peer.cpuUs),
      compact(millrace.cpuUs),
      cpuRatio === undefined ? '-' : cpuRatio.toFixed(2),
      `${percent(peer.spread)}, ${percent(millrace.spread)}`,
    ])
  })
  return [row([...head, 'CPU ratio', 'spread']), row(Array.from({ length: 8 }, () => '---')), ...lines].join('\n')
}

/** Latencies, memory and disk. */
export function costTable(results: readonly Result[], peerName: string): string {
  const names = ['p50 ms', 'p99 ms', 'RssAnon', 'disk']
  const head = ['row', ...names.flatMap(name => [`${peerName} ${name}`, `Millrace ${name}`])]
  const lines = results.map(result => {
    const { peer, millrace } = compare(result)
    return row([
      result.row.name,
      compact(peer.p50Ms),
      compact(millrace.p50Ms),
      compact(peer.p99Ms),
      compact(millrace.p99Ms),
      megabytes(peer.rssAnonBytes),
      megabytes(millrace.rssAnonBytes),
      megabytes(peer.diskBytes),
      megabytes(millrace.diskBytes),
    ])
  })
  return [row(head), row(head.map(() => '---')), ...lines].join('\n')
}

/** What each row does. */
export function legend(results: readonly Result[]): string {
  return results.map(({ row: { name, what } }) => `- \`${name}\`: ${what}`).join('\n')
}
