// npm run bench:worker [-- --rounds N --jobs N --rate N]: 1, 4 and 16 workers of millrace/worker with a completion
// record in a Redis hash, on redis-server and on Millrace by turns, each round a fresh server. Prints jobs per second
// while a backlog is worked off, and latencies from adding to acknowledging at a rate that is no strain.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './figures.js'
import { Peer, type PeerName } from './peer.js'
import type { WorkerSample } from './worker-process.js'

const PEERS: readonly PeerName[] = ['redis', 'millrace']
const WORKERS = [1, 4, 16]
const PROCESS = fileURLToPath(new URL('worker-process.ts', import.meta.url))

interface Sample {
  perS: number
  p50Ms: number
  p99Ms: number
  cpuUs: number
}

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    jobs: { type: 'string', default: '10000' },
    rate: { type: 'string', default: '1000' },
  },
})
const jobs = Number(options.jobs)
/** Jobs that come before on the same server, so that no compiling of JavaScript is measured. */
const WARM_UP = 60_000
const WARM_UP_RATE = 20_000

async function run(peer: Peer, workers: number, jobs: number, rate: number): Promise<Sample> {
  const args = ['--import', 'tsx', PROCESS, String(peer.port), String(workers), String(jobs), String(rate)]
  const cpuBefore = peer.cpuSeconds()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  // Asked for at once: its last message is long, and it may be gone when that has been read.
  const exited = once(child, 'exit')
  const heard = await Promise.race([once(child, 'message'), once(child, 'disconnect')])
  if (heard.length === 0) throw new Error("the workers' process ended without its figures")
  const [{ perS, latenciesMs }] = heard as [WorkerSample]
  const cpuUs = ((peer.cpuSeconds() - cpuBefore) * 1e6) / (2 * jobs)
  await exited
  latenciesMs.sort((a, b) => a - b)
  const at = (share: number): number => latenciesMs[Math.min(Math.floor(jobs * share), jobs - 1)]
  return { perS, p50Ms: at(0.5), p99Ms: at(0.99), cpuUs }
}

console.log('| workers | server | jobs/s | ratio | p50 ms | p99 ms | server CPU µs per job |')
console.log('|---|---|---|---|---|---|---|')
for (const workers of WORKERS) {
  const samples = new Map<PeerName, Sample[]>(PEERS.map(name => [name, []]))
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const name of round % 2 === 0 ? PEERS : [...PEERS].reverse()) {
      const peer = new Peer(name, 'everysec')
      try {
        await peer.start()
        await run(peer, workers, WARM_UP, WARM_UP_RATE)
        samples.get(name)!.push(await run(peer, workers, jobs, Number(options.rate)))
      } finally {
        await peer.remove()
      }
    }
  }
  const of = (name: PeerName, key: keyof Sample): number => median(samples.get(name)!.map(sample => sample[key]))
  for (const name of PEERS) {
    const ratio = (of(name, 'perS') / of('redis', 'perS')).toFixed(2)
    const cells = [of(name, 'perS').toFixed(0), ratio, of(name, 'p50Ms').toFixed(1), of(name, 'p99Ms').toFixed(1)]
    console.log(`| ${workers} | ${name} | ${cells.join(' | ')} | ${of(name, 'cpuUs').toFixed(0)} |`)
  }
}
