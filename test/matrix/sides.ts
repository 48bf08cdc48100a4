// The two servers of the matrix, and the comparison of all rows in one state.

import type { Test } from 'tap'
import { commandTable } from '../../src/commands/all-commands.js'
import { startInProcess } from '../support/in-process.js'
import type { InProcess } from '../support/in-process.js'
import { startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'
import type { Teardown } from '../support/temp-dir.js'
import { tempDir } from '../support/temp-dir.js'
import { runBatches } from './batch.js'
import type { Batch } from './batch.js'
import { cellText } from './compare.js'
import { CELLS, LATER } from './exceptions.js'
import { sentRows } from './states.js'
import type { MakeBatch } from './states.js'

/** A connection to each. */
export interface Sides {
  readonly reference: RespClient
  readonly ours: RespClient
}

export interface Pair {
  readonly ours: InProcess
  readonly redisPort: number
  connect(t: Teardown): Promise<Sides>
  /** Sends a command to both; what they answer does not matter. */
  bothSay(...words: string[]): Promise<void>
}

/** Starts both; they end with the test. */
export async function startPair(t: Teardown): Promise<Pair> {
  const redis = await startRedisServer(['--enable-debug-command', 'yes'])
  t.teardown(() => redis.stop())
  const ours = await startInProcess(t, tempDir(t))
  const connect = async (t: Teardown) => {
    const [reference, mine] = await Promise.all([RespClient.connect(redis.port), RespClient.connect(ours.port)])
    t.teardown(() => [reference, mine].forEach(client => client.close()))
    return { reference, ours: mine }
  }
  const speaker = await connect(t)
  const bothSay = async (...words: string[]) => {
    await Promise.all([speaker.reference.command(...words), speaker.ours.command(...words)])
  }
  return { ours, redisPort: redis.port, connect, bothSay }
}

const table = commandTable()
export const rows = sentRows(table)

/** The batches of a state for us, and for the reference with rows of 7.0 in the place of later ones. */
export function batchesOf(make: MakeBatch): { asked: Batch[]; reference: Batch[] } {
  return { asked: rows.map(make), reference: rows.map(row => make(table.row(LATER.get(row.name) ?? row.name)!)) }
}

/** Runs all rows in one state on both and compares; one assertion per row. */
export async function compareRows(t: Test, state: string, sides: Sides, make: MakeBatch): Promise<void> {
  const { asked, reference } = batchesOf(make)
  const [wanted, found] = await Promise.all([runBatches(sides.reference, reference), runBatches(sides.ours, asked)])
  for (let i = 0; i < rows.length; i++) compareCell(t, state, asked[i], reference[i], wanted[i], found[i])
}

export function compareCell(
  t: Test,
  state: string,
  batch: Batch,
  reference: Batch,
  wanted: readonly Buffer[],
  found: readonly Buffer[],
): void {
  const { name } = batch
  const expected = cellText({ ...reference, name }, wanted).replaceAll(reference.name, name)
  const actual = cellText(batch, found)
  const cell = CELLS.get(`${state.split(' ')[0]} ${name}`)
  if (cell !== undefined) t.match(actual, cell.ours, `${name}: ${cell.why}`)
  else if (actual === expected) t.pass(name)
  else t.fail(`${name}\nredis: ${JSON.stringify(expected)}\nours:  ${JSON.stringify(actual)}`)
}
