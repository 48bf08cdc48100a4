// npm run bench:queue [-- --rounds N --messages N]: the run of docs/queue.md, end to end: one process publishes and
// distributes, one fetches and confirms, on redis-server and on Millrace by turns, each round a fresh server. Prints
// messages per second from the first publish to the last confirm, latencies from publishing to confirming, and what
// the server and both clients cost: on a small machine it is the sum of all three that bounds the rate.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from './figures.js'
import { cpuSecondsOf, Peer, type PeerName } from './peer.js'
import type { Consumed, QueueMode, QueueRun } from './queue-process.js'

const PEERS: readonly PeerName[] = ['redis', 'millrace']
const MODES: readonly QueueMode[] = ['batched', 'each', 'work', 'single']
const PROCESS = fileURLToPath(new URL('queue-process.ts', import.meta.url))
/** What comes before in the same processes, so that no first command is measured. */
const WARM_UP = 20_000

interface Sample {
  perS: number
  p50Ms: number
  p99Ms: number
  serverUs: number
  clientsUs: number
}

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, messages: { type: 'string', default: '5000' } },
})

function start(role: string, port: number, mode: QueueMode): ChildProcess {
  const args = ['--import', 'tsx', PROCESS, role, String(port), mode]
  return spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

/** Sends a word to all and resolves with the answers. */
async function ask(children: readonly ChildProcess[], word: QueueRun | 'go' | 'end'): Promise<unknown[]> {
  const answers = children.map(child => once(child, 'message'))
  for (const child of children) child.send(word)
  return (await Promise.all(answers)).map(([answer]) => answer as unknown)
}

async function run(peer: Peer, children: readonly ChildProcess[], storage: string, count: number): Promise<Sample> {
  await ask(children, { storage, count })
  const clientsCpu = (): number => children.reduce((sum, child) => sum + cpuSecondsOf(child.pid!), 0)
  const serverBefore = peer.cpuSeconds()
  const clientsBefore = clientsCpu()
  const began = performance.now()
  const [{ latenciesMs }] = (await ask(children, 'go')) as [Consumed, string]
  const seconds = (performance.now() - began) / 1000
  const serverUs = ((peer.cpuSeconds() - serverBefore) * 1e6) / count
  const clientsUs = ((clientsCpu() - clientsBefore) * 1e6) / count
  await ask(children, 'end')
  latenciesMs.sort((a, b) => a - b)
  const at = (share: number): number => latenciesMs[Math.min(Math.floor(count * share), count - 1)]
  return { perS: count / seconds, p50Ms: at(0.5), p99Ms: at(0.99), serverUs, clientsUs }
}

async function measure(name: PeerName, mode: QueueMode, count: number): Promise<Sample> {
  const peer = new Peer(name, 'everysec')
  try {
    await peer.start()
    const children = ['consumer', 'producer'].map(role => start(role, peer.port, mode))
    await Promise.all(children.map(child => once(child, 'message')))
    await run(peer, children, 'warm', WARM_UP)
    const sample = await run(peer, children, 'measured', count)
    for (const child of children) child.disconnect()
    await Promise.all(children.map(child => once(child, 'exit')))
    return sample
  } finally {
    await peer.remove()
  }
}

const count = Number(options.messages)
const rounds = Number(options.rounds)
console.log('| steps | server | messages/s | ratio | p50 ms | p99 ms | server CPU µs | clients CPU µs per message |')
console.log('|---|---|---|---|---|---|---|---|')
for (const mode of MODES) {
  const samples: Record<PeerName, Sample[]> = { redis: [], millrace: [] }
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? PEERS : [...PEERS].reverse()) {
      samples[name].push(await measure(name, mode, count))
    }
  }
  const of = (name: PeerName, key: keyof Sample): number => median(samples[name].map(sample => sample[key]))
  for (const name of PEERS) {
    const ratio = name === 'redis' ? '1' : (of('millrace', 'perS') / of('redis', 'perS')).toFixed(2)
    const cells = [of(name, 'perS').toFixed(0), ratio, of(name, 'p50Ms').toFixed(2), of(name, 'p99Ms').toFixed(2)]
    cells.push(of(name, 'serverUs').toFixed(0), of(name, 'clientsUs').toFixed(0))
    console.log(`| ${mode} | ${name} | ${cells.join(' | ')} |`)
  }
}
