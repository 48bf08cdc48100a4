// npm run bench:queue [-- --rounds N --messages N]: the run of docs/queue.md, end to end: one process publishes and
// distributes, one fetches and confirms, on redis-server and on Millrace by turns, each round a fresh server. Prints
// messages per second from the first publish to the last confirm, and latencies from publishing to confirming.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './figures.js'
import { Peer, type PeerName } from './peer.js'
import type { Consumed } from './queue-process.js'

const PEERS: readonly PeerName[] = ['redis', 'millrace']
const MODES = ['batched', 'single'] as const
const PROCESS = fileURLToPath(new URL('queue-process.ts', import.meta.url))
/** What comes before on the same server, so that no first command is measured. */
const WARM_UP = 20_000

interface Sample {
  perS: number
  p50Ms: number
  p99Ms: number
  cpuUs: number
}

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, messages: { type: 'string', default: '5000' } },
})

function start(role: string, port: number, storage: string, mode: string, count: number): ChildProcess {
  const args = ['--import', 'tsx', PROCESS, role, String(port), storage, mode, String(count)]
  return spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

async function run(peer: Peer, storage: string, mode: string, count: number): Promise<Sample> {
  const roles = ['consumer', 'producer'].map(role => start(role, peer.port, storage, mode, count))
  await Promise.all(roles.map(child => once(child, 'message')))
  const cpuBefore = peer.cpuSeconds()
  const began = performance.now()
  for (const child of roles) child.send('go')
  const [[{ latenciesMs }]] = (await Promise.all(roles.map(child => once(child, 'message')))) as [[Consumed], [string]]
  const seconds = (performance.now() - began) / 1000
  const cpuUs = ((peer.cpuSeconds() - cpuBefore) * 1e6) / count
  for (const child of roles) child.disconnect()
  await Promise.all(roles.map(child => once(child, 'exit')))
  latenciesMs.sort((a, b) => a - b)
  const at = (share: number): number => latenciesMs[Math.min(Math.floor(count * share), count - 1)]
  return { perS: count / seconds, p50Ms: at(0.5), p99Ms: at(0.99), cpuUs }
}

const count = Number(options.messages)
const rounds = Number(options.rounds)
console.log('| steps | server | messages/s | ratio | p50 ms | p99 ms | server CPU µs per message |')
console.log('|---|---|---|---|---|---|---|')
for (const mode of MODES) {
  const samples: Record<PeerName, Sample[]> = { redis: [], millrace: [] }
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? PEERS : [...PEERS].reverse()) {
      const peer = new Peer(name, 'everysec')
      try {
        await peer.start()
        await run(peer, 'warm', mode, WARM_UP)
        samples[name].push(await run(peer, 'measured', mode, count))
      } finally {
        await peer.remove()
      }
    }
  }
  const of = (name: PeerName, key: keyof Sample): number => median(samples[name].map(sample => sample[key]))
  for (const name of PEERS) {
    const ratio = name === 'redis' ? '1' : (of('millrace', 'perS') / of('redis', 'perS')).toFixed(2)
    const cells = [of(name, 'perS').toFixed(0), ratio, of(name, 'p50Ms').toFixed(2), of(name, 'p99Ms').toFixed(2)]
    console.log(`| ${mode} | ${name} | ${cells.join(' | ')} | ${of(name, 'cpuUs').toFixed(0)} |`)
  }
}
