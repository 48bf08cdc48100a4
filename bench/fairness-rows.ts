// Fairness: what clients of a few hot keys wait for, alone and beside one and several that read through streams eight
// times as large as the page cache. Of interest are the latencies (of the hot keys); beside a scan the CPU is that of
// an entry read. Redis has all of it in memory: what it shows beside a scan is what the machine does.

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'hdr-histogram-js'
import type { Histogram } from 'hdr-histogram-js'
import { COLD_STREAMS, SCAN_COUNT } from './cold-scan.js'
import { latencyOf } from './load.js'
import type { Measured, Row } from './load.js'
import { encode, WireClient } from './wire-client.js'

const HOT_CLIENTS = 4
const HOT_PAUSE_MS = 1
const COLD_BYTES = 512 * 1024 * 1024
const ENTRY_BYTES = 1000
const BATCH = 500
const SCAN_PROGRAM = fileURLToPath(new URL('cold-scan.ts', import.meta.url))

async function fillCold(port: number): Promise<void> {
  const client = await WireClient.connect(port)
  const perStream = Math.ceil(COLD_BYTES / COLD_STREAMS / ENTRY_BYTES)
  // Noise, which LZ4 does not pack: the file is as large as the data.
  const text = randomBytes((ENTRY_BYTES * BATCH) / 2).toString('hex')
  for (let stream = 0; stream < COLD_STREAMS; stream++) {
    for (let done = 0; done < perStream; done += BATCH) {
      const value = (i: number) => `${done + i}:${text.slice(i * ENTRY_BYTES, (i + 1) * ENTRY_BYTES - 8)}`
      const adds = Array.from({ length: BATCH }, (_, i) => encode('XADD', `cold:${stream}`, '*', 'field', value(i)))
      await client.send(Buffer.concat(adds), BATCH)
    }
  }
  for (let i = 0; i < HOT_CLIENTS; i++) await client.send(encode('SET', `hot:${i}`, 'x'.repeat(100)), 1)
  client.close()
}

async function rangesOf(port: number): Promise<number> {
  const client = await WireClient.connect(port)
  await client.send(encode('INFO', 'commandstats'), 1)
  client.close()
  return Number(/cmdstat_xrange:calls=(\d+)/.exec(client.last.toString())?.[1] ?? 0)
}

async function askHot(port: number, i: number, times: number): Promise<Histogram> {
  const client = await WireClient.connect(port)
  const latencies = build({ highestTrackableValue: 60_000_000 })
  client.latencies = latencies
  const asked = encode('GET', `hot:${i}`)
  for (let n = 0; n < times; n++) {
    await client.send(asked, 1)
    await sleep(HOT_PAUSE_MS)
  }
  client.close()
  return latencies
}

async function hot(port: number, operations: number): Promise<Measured> {
  const began = performance.now()
  const each = Array.from({ length: HOT_CLIENTS }, (_, i) => askHot(port, i, Math.ceil(operations / HOT_CLIENTS)))
  const [all, ...others] = await Promise.all(each)
  for (const one of others) all.add(one)
  return { operations, seconds: (performance.now() - began) / 1000, latency: latencyOf(all) }
}

async function beside(port: number, operations: number, scanners: number): Promise<Measured> {
  const args = [...process.execArgv, SCAN_PROGRAM, String(port), String(scanners)]
  const scanning = spawn(process.execPath, args, { stdio: 'inherit' })
  const gone = once(scanning, 'exit')
  try {
    const before = await rangesOf(port)
    while ((await rangesOf(port)) === before) await sleep(10)
    const from = await rangesOf(port)
    const measured = await hot(port, operations)
    return { ...measured, operations: ((await rangesOf(port)) - from) * SCAN_COUNT }
  } finally {
    scanning.kill('SIGKILL')
    await gone
  }
}

function fairness(scanners: number): Row {
  const who = scanners === 0 ? 'alone' : `beside ${scanners} that XRANGE ${COLD_BYTES >> 20} MiB by ${SCAN_COUNT}`
  return {
    name: `cold-fairness-${scanners}`,
    what: `GET of hot keys, ${HOT_CLIENTS} clients with pauses of ${HOT_PAUSE_MS} ms, ${who}`,
    unit: scanners === 0 ? 'GET' : 'entry read',
    fsync: 'everysec',
    operations: 20_000,
    prepare: fillCold,
    warmUp: async port => {
      await hot(port, 2000)
      if (scanners > 0) await beside(port, 2000, scanners)
    },
    measure: (port, n) => (scanners === 0 ? hot(port, n) : beside(port, n, scanners)),
  }
}

export const fairnessRows: readonly Row[] = [fairness(0), fairness(1), fairness(4)]
