// npm run bench [-- options]: Millrace and redis-server alternately on each row, medians of several rounds. See
// bench/README.md.
//   --row NAME   only rows whose name contains NAME (repeatable)      --rounds N   rounds per row (5)
//   --quick      a tenth of the operations, 3 rounds                  --json FILE  write everything measured
//   --no-restart leave out the restart and memory measurement
//   --entries N  entries of that measurement (10,000,000; quick 500,000)

import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { execFileSync } from 'node:child_process'
import { Peer, type PeerName } from './peer.js'
import { restartTable, measureRestart, type Restart } from './restart.js'
import type { Measured, Row } from './load.js'
import { rows } from './rows.js'

interface Sample extends Measured {
  cpuSeconds: number
}

interface Result {
  row: Row
  samples: Record<PeerName, Sample[]>
}

const PEERS: readonly PeerName[] = ['redis', 'millrace']

const { values: options } = parseArgs({
  options: {
    row: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    'no-restart': { type: 'boolean', default: false },
    entries: { type: 'string' },
  },
})

async function sample(row: Row, name: PeerName, operations: number): Promise<Sample> {
  const peer = new Peer(name, row.fsync)
  try {
    await peer.start()
    await row.prepare?.(peer.port, operations)
    await row.warmUp(peer.port)
    const before = peer.cpuSeconds()
    const measured = await row.measure(peer.port, operations)
    return { ...measured, cpuSeconds: peer.cpuSeconds() - before }
  } finally {
    await peer.remove()
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

const rate = (s: Sample) => s.operations / s.seconds
const cpuUs = (s: Sample) => (s.cpuSeconds * 1e6) / s.operations

function spread(values: readonly number[]): string {
  return `${Math.round(((Math.max(...values) - Math.min(...values)) / median(values)) * 100)} %`
}

function compact(n: number): string {
  return n >= 100 ? Math.round(n).toLocaleString('en') : n.toPrecision(3)
}

function table(results: readonly Result[]): string {
  const head = [
    '| row | Redis /s | Millrace /s | throughput ratio | Redis CPU µs | Millrace CPU µs | CPU ratio | spread R, M |',
    '|---|---|---|---|---|---|---|---|',
  ]
  const lines = results.map(({ row, samples: { redis, millrace } }) => {
    const [r, m] = [median(redis.map(rate)), median(millrace.map(rate))]
    const [rc, mc] = [median(redis.map(cpuUs)), median(millrace.map(cpuUs))]
    const ratio = `**${(m / r).toFixed(2)}**`
    const cpu = `${compact(rc)} | ${compact(mc)} | ${(mc / rc).toFixed(2)}`
    const spreads = `${spread(redis.map(rate))}, ${spread(millrace.map(rate))}`
    return `| ${row.name} (per ${row.unit}) | ${compact(r)} | ${compact(m)} | ${ratio} | ${cpu} | ${spreads} |`
  })
  return [...head, ...lines].join('\n')
}

function conditions(rounds: number): string {
  const redis = execFileSync('redis-server', ['--version'], { encoding: 'utf8' }).trim()
  const cpu = cpus()[0]?.model ?? 'unknown processor'
  return [
    `${cpus().length} x ${cpu}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux, Node.js ${process.version}; ${redis}.`,
    'Both with an append-only log and the fsync policy named in the row; ' +
      `medians of ${rounds} rounds, the two servers alternating, `,
    'each round a fresh process and folder. CPU is user + system time of the whole server process per operation.',
  ].join('\n')
}

async function main(): Promise<void> {
  const rounds = Number(options.rounds ?? (options.quick ? 3 : 5))
  const scale = options.quick ? 0.1 : 1
  const chosen = rows.filter(row => !options.row || options.row.some(name => row.name.includes(name)))
  const results: Result[] = []
  for (const [i, row] of chosen.entries()) {
    const operations = Math.max(3, Math.round((row.operations * scale) / 1000) * (row.operations >= 1000 ? 1000 : 1))
    const samples: Result['samples'] = { redis: [], millrace: [] }
    for (let round = 0; round < rounds; round++) {
      for (const name of round % 2 === 0 ? PEERS : [...PEERS].reverse()) {
        process.stderr.write(`\r[${i + 1}/${chosen.length}] ${row.name} round ${round + 1}/${rounds} ${name}\x1b[K`)
        samples[name].push(await sample(row, name, operations))
      }
    }
    results.push({ row, samples })
  }
  let restarts: Restart[] = []
  if (!options['no-restart'] && !options.row) {
    restarts = await measureRestart(Number(options.entries ?? (options.quick ? 500_000 : 10_000_000)))
  }
  process.stderr.write('\r\x1b[K')
  const restartText = restarts.length > 0 ? `\n${restartTable(restarts)}\n` : ''
  const text = `${conditions(rounds)}\n\n${table(results)}\n${restartText}`
  process.stdout.write(text)
  if (options.json)
    writeFileSync(options.json, JSON.stringify({ conditions: conditions(rounds), results, restarts }, null, 1))
}

await main()
