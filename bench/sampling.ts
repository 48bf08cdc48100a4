// Runs rows: each sample in a process of its own, the two servers alternately, the one that begins changing each round.
// Used by: run.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Row } from './load.js'
import type { PeerName } from './peer.js'
import type { Sample, SampleRequest } from './sample.js'

/** A row with its samples; `peer` is the server it is compared with. */
export interface Result {
  readonly row: Row
  readonly operations: number
  readonly peer: Sample[]
  readonly millrace: Sample[]
}

const SAMPLE_PROGRAM = fileURLToPath(new URL('sample.ts', import.meta.url))
const run = promisify(execFile)

async function sampleOf(request: SampleRequest): Promise<Sample> {
  const args = ['--import', 'tsx', SAMPLE_PROGRAM, JSON.stringify(request)]
  const { stdout } = await run(process.execPath, args, { maxBuffer: 1 << 20 })
  return JSON.parse(stdout) as Sample
}

/** @param scale share of a row's operations */
export async function measure(
  row: Row,
  peer: PeerName,
  rounds: number,
  scale: number,
  progress: (text: string) => void,
): Promise<Result> {
  const step = row.operations >= 1000 ? 1000 : 1
  const operations = Math.max(step === 1 ? 3 : step, Math.round((row.operations * scale) / step) * step)
  const result: Result = { row, operations, peer: [], millrace: [] }
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? (['peer', 'millrace'] as const) : (['millrace', 'peer'] as const)) {
      const name = side === 'peer' ? peer : 'millrace'
      progress(`${row.name} round ${round + 1}/${rounds} ${name}`)
      result[side].push(await sampleOf({ row: row.name, peer: name, operations }))
    }
  }
  return result
}
