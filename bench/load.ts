// What a row is, and the two ways to make load: redis-benchmark, and one client of ours. Used by: rows, type-rows.

import { spawn } from 'node:child_process'
import { build } from 'hdr-histogram-js'
import type { Histogram } from 'hdr-histogram-js'
import type { Fsync } from './peer.js'
import { target, WireClient } from './wire-client.js'

export interface Measured {
  /** Operations the CPU is divided by. */
  operations: number
  seconds: number
  /** Round trips, from HDR histograms: redis-benchmark's own, or one of ours around each round trip. */
  latency: Latency
}

/** Milliseconds. */
export interface Latency {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

export interface Row {
  readonly name: string
  readonly what: string
  /** What one operation is. */
  readonly unit: string
  readonly fsync: Fsync
  /** Operations at scale 1; --quick divides. */
  readonly operations: number
  /** The row is one point of a curve: how cost grows with `x`. Left out of the table. */
  readonly curve?: { readonly name: string; readonly x: number; readonly xName: string }
  prepare?(port: number, operations: number): Promise<void>
  /** What comes before the measurement, so that no row measures a server's first commands: the same ones, elsewhere. */
  warmUp(port: number): Promise<unknown>
  measure(port: number, operations: number): Promise<Measured>
}

export const WARM_UP_COMMANDS = 200_000
const LATENCY_US_MAX = 3_600_000_000

/** One run of redis-benchmark with a command of our own. */
export function benchmark(
  port: number,
  operations: number,
  clients: number,
  pipeline: number,
  command: string[],
  keys?: number,
) {
  const args = [
    '-h',
    target.host,
    '-p',
    String(port),
    '-n',
    String(operations),
    '-c',
    String(clients),
    '-P',
    String(pipeline),
    '--csv',
  ]
  if (keys !== undefined) args.push('-r', String(keys))
  return new Promise<Measured>((resolve, reject) => {
    const child = spawn('redis-benchmark', [...args, ...command], { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    child.stdout.on('data', chunk => (text += chunk))
    child.stderr.on('data', chunk => (text += chunk))
    child.on('error', reject)
    child.on('exit', () => {
      const line = text.trim().split('\n').at(-1) ?? ''
      const cells = (line.match(/"[^"]*"/g) ?? []).slice(-7).map(cell => Number(cell.slice(1, -1)))
      const [rate, , , p50, p95, p99, max] = cells
      if (!(rate > 0)) return reject(new Error(`redis-benchmark printed: ${text}`))
      resolve({ operations, seconds: operations / rate, latency: { p50, p95, p99, max } })
    })
  })
}

export async function timed(
  port: number,
  operations: number,
  work: (client: WireClient) => Promise<void>,
): Promise<Measured> {
  const client = await WireClient.connect(port)
  const latencies = build({ highestTrackableValue: LATENCY_US_MAX, numberOfSignificantValueDigits: 3 })
  client.latencies = latencies
  const began = performance.now()
  await work(client)
  const seconds = (performance.now() - began) / 1000
  client.close()
  return { operations, seconds, latency: latencyOf(latencies) }
}

/** @param latencies in microseconds */
export function latencyOf(latencies: Histogram): Latency {
  const ms = (percentile: number) => latencies.getValueAtPercentile(percentile) / 1000
  return { p50: ms(50), p95: ms(95), p99: ms(99), max: latencies.maxValue / 1000 }
}

/** Compiling takes commands, not seconds: each must have come often enough, also where each waits for the device. */
export function warmUpCommands(pipeline: number): number {
  return pipeline === 1 ? WARM_UP_COMMANDS / 2 : 2 * WARM_UP_COMMANDS
}
