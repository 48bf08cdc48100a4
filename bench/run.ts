// npm run bench [-- options]: Millrace and redis-server alternately on each row, medians of several rounds. What the
// options are says --help; what the files of this folder are, in bench/README.md.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { keep, readBaseline, worsened, writeBaseline } from './baseline.js'
import { growthCharts, ratioChart } from './charts.js'
import { growthRows } from './growth-rows.js'
import type { Row } from './load.js'
import type { PeerName } from './peer.js'
import { conditions, costTable, legend, speedTable } from './report.js'
import { measureRestart, restartTable } from './restart.js'
import type { Restart } from './restart.js'
import { pendingRows } from './pending-rows.js'
import { rows } from './rows.js'
import { measure } from './sampling.js'
import type { Result } from './sampling.js'

const ROUNDS = 5
/** What is done in about two minutes: the rows that the speed budget is about. */
const QUICK = {
  rounds: 3,
  scale: 0.1,
  restartEntries: 500_000,
  rows: new Set([
    'xadd-p1',
    'xadd-p16',
    'xadd-always-p16',
    'get-p16',
    'set-p16',
    'xreadgroup-100-xack',
    'xreadgroup-1000-xack',
    'xrange-1000',
    'script-watermark',
    'script-text',
    'hset-1000',
    'zadd-1000',
  ]),
} as const
const RESTART_ENTRIES = 10_000_000

function whole(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}

function place(text: string): PeerName {
  if (!/^[^:]+:\d+$/.test(text)) throw new InvalidArgumentError('It must be host:port.')
  return text as PeerName
}

const program = new Command('npm run bench --')
  .option('--row <part...>', 'only rows whose name contains one of these')
  .option('--rounds <n>', `rounds per row (${ROUNDS}; quick ${QUICK.rounds})`, whole)
  .option('--quick', 'a tenth of the operations, fewer rounds, and of the rows those of the speed budget', false)
  .option('--compare <host:port>', 'against this RESP server, which must be empty, instead of redis-server', place)
  .option('--growth', 'how cost grows with entries, streams, clients and bytes, instead of the rows', false)
  .option('--growth-max <n>', 'leave out points of the curves beyond this', whole, 1_000_000)
  .option('--out <dir>', 'write tables (Markdown), samples (JSON) and plots (SVG) to this folder')
  .option('--json <file>', 'write every sample to this file')
  .option('--check', 'name what costs more than in bench/baseline.json, and exit with 1 if anything does', false)
  .option('--keep', 'write the ratios measured to bench/baseline.json', false)
  .option('--no-restart', 'leave out the restart and memory measurement')
  .option('--entries <n>', `entries of that measurement (${RESTART_ENTRIES.toLocaleString('en')})`, whole)

interface Options {
  readonly row?: string[]
  readonly rounds?: number
  readonly quick: boolean
  readonly compare?: PeerName
  readonly growth: boolean
  readonly growthMax: number
  readonly out?: string
  readonly json?: string
  readonly check: boolean
  readonly keep: boolean
  readonly restart: boolean
  readonly entries?: number
}

function chosenRows(options: Options): readonly Row[] {
  const all = options.growth
    ? growthRows.filter(({ curve }) => curve!.x <= options.growthMax)
    : [...rows, ...pendingRows]
  const asked = (name: string) => options.row?.some(part => name.includes(part))
  const byDefault = (name: string) => options.growth || !options.quick || QUICK.rows.has(name)
  const chosen = all.filter(({ name }) => asked(name) ?? byDefault(name))
  if (chosen.length === 0) program.error(`no row's name contains ${options.row?.join(' or ')}`)
  return chosen
}

function progress(text: string): void {
  process.stderr.write(`\r${text}\x1b[K`)
}

async function measureAll(options: Options, peer: PeerName, rounds: number): Promise<Result[]> {
  const chosen = chosenRows(options)
  const results: Result[] = []
  const scale = options.quick ? QUICK.scale : 1
  for (const [i, row] of chosen.entries()) {
    results.push(await measure(row, peer, rounds, scale, text => progress(`[${i + 1}/${chosen.length}] ${text}`)))
  }
  return results
}

/** Files are named after what was run, so that rows and curves can share a folder. */
function publish(folder: string, name: string, text: string, results: readonly Result[], peerName: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.md`), text)
  if (name === 'rows') writeFileSync(join(folder, 'ratios.svg'), ratioChart(results, peerName))
  for (const [curve, svg] of growthCharts(results, peerName)) writeFileSync(join(folder, `${curve}.svg`), svg)
}

function samplesAsJson(text: string, results: readonly Result[], restarts: readonly Restart[]): string {
  const lines = results.map(({ row, operations, peer, millrace }) => ({ row: row.name, operations, peer, millrace }))
  return `${JSON.stringify({ conditions: text, results: lines, restarts }, null, 1)}\n`
}

function check(results: readonly Result[]): void {
  const found = worsened(readBaseline(), keep(results))
  for (const { row, was, is, allowed } of found) {
    const bounds = `it was ${was.toFixed(2)}, and ${allowed.toFixed(2)} is within the noise`
    process.stdout.write(`worse: ${row} costs ${is.toFixed(2)} of the peer's CPU; ${bounds}\n`)
  }
  if (found.length === 0) process.stdout.write('nothing is worse than bench/baseline.json by more than the noise\n')
  else process.exitCode = 1
}

async function main(): Promise<void> {
  const options = program.parse().opts<Options>()
  const rounds = options.rounds ?? (options.quick ? QUICK.rounds : ROUNDS)
  const peer = options.compare ?? 'redis'
  const peerName = peer === 'redis' ? 'Redis' : peer
  const results = await measureAll(options, peer, rounds)
  const restarts =
    options.restart && options.row === undefined && !options.growth && peer === 'redis'
      ? await measureRestart(options.entries ?? (options.quick ? QUICK.restartEntries : RESTART_ENTRIES), progress)
      : []
  progress('')
  const about = conditions(peer, rounds)
  const tables = [speedTable(results, peerName), costTable(results, peerName)]
  if (restarts.length > 0) tables.push(restartTable(restarts))
  process.stdout.write(`${about}\n\n${tables.join('\n\n')}\n`)
  const json = samplesAsJson(about, results, restarts)
  if (options.json !== undefined) writeFileSync(options.json, json)
  if (options.out !== undefined) {
    const name = options.growth ? 'growth' : 'rows'
    const text = `# Measured ${name}\n\n${about}\n\n${tables.join('\n\n')}\n\n${legend(results)}\n`
    publish(options.out, name, text, results, peerName)
    writeFileSync(join(options.out, `${name}.json`), json)
  }
  if (options.keep) writeBaseline(keep(results))
  if (options.check) check(results)
}

await main()
