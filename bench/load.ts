// What a row is, and the two ways to make load: redis-benchmark, and one client of ours. Used by: rows, type-rows.

import { spawn } from 'node:child_process'
import type { Fsync } from './peer.js'
import { WireClient } from './wire-client.js'

export interface Measured {
  /** Operations the CPU is divided by. */
  operations: number
  seconds: number
  p50Ms?: number
  p99Ms?: number
}

export interface Row {
  readonly name: string
  readonly what: string
  /** What one operation is. */
  readonly unit: string
  readonly fsync: Fsync
  /** Operations at scale 1; --quick divides. */
  readonly operations: number
  prepare?(port: number, operations: number): Promise<void>
  /** What comes before the measurement, so that no row measures a server's first commands: the same ones, elsewhere. */
  warmUp(port: number): Promise<unknown>
  measure(port: number, operations: number): Promise<Measured>
}

export const WARM_UP_COMMANDS = 200_000

/** One run of redis-benchmark with a command of our own. */
export function benchmark(
  port: number,
  operations: number,
  clients: number,
  pipeline: number,
  command: string[],
  keys?: number,
) {
  const args = ['-p', String(port), '-n', String(operations), '-c', String(clients), '-P', String(pipeline), '--csv']
  if (keys !== undefined) args.push('-r', String(keys))
  return new Promise<Measured>((resolve, reject) => {
    const child = spawn('redis-benchmark', [...args, ...command], { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    child.stdout.on('data', chunk => (text += chunk))
    child.stderr.on('data', chunk => (text += chunk))
    child.on('error', reject)
    child.on('exit', () => {
      const line = text.trim().split('\n').at(-1) ?? ''
      const [rate, , , p50, , p99] = (line.match(/"[^"]*"/g) ?? []).slice(-7).map(cell => Number(cell.slice(1, -1)))
      if (!(rate > 0)) return reject(new Error(`redis-benchmark printed: ${text}`))
      resolve({ operations, seconds: operations / rate, p50Ms: p50, p99Ms: p99 })
    })
  })
}

export async function timed(
  port: number,
  operations: number,
  work: (client: WireClient) => Promise<void>,
): Promise<Measured> {
  const client = await WireClient.connect(port)
  const began = performance.now()
  await work(client)
  const seconds = (performance.now() - began) / 1000
  client.close()
  return { operations, seconds }
}

/** What runs for about a second is compiled as well as it ever will be. */
export function warmUpCommands(pipeline: number, fsync: Fsync): number {
  return fsync === 'always' || pipeline === 1 ? WARM_UP_COMMANDS / 4 : WARM_UP_COMMANDS
}
