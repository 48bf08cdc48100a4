// `millrace stats`: what a data folder holds and what it takes on the disk, as of its last checkpoint.

import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { CorruptionError, UsageError } from '../base/errors.js'
import type { ToolOutput, ToolRun } from '../base/tool.js'
import { placesIn } from '../store/data-folder.js'
import { Environment } from '../store/environment.js'
import { listSegments } from '../store/journal-segment.js'
import { TABLE_NAMES } from '../store/table-name.js'
import { Stream, streamType } from '../types/stream/stream.js'
import { typeByCode } from '../types/types.js'
import { quoted } from './finding-text.js'
import { walkDirectory } from './directory-walk.js'
import { STORE_FILE } from './folder-check.js'
import { ReadRows } from '../store/read-rows.js'
import { parsed, toolCommand } from './tool-arguments.js'

export interface StreamStats {
  readonly database: number
  /** latin1 */
  readonly key: string
  readonly entries: number
  readonly groups: number
  readonly pending: number
  /** Bytes of its pages before compression. */
  readonly bytes: number
}

export interface FolderStats {
  readonly folder: string
  readonly inUse: boolean
  /** Per database number, keys by type. */
  readonly keys: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** The largest ones, those with the most bytes first. */
  readonly streams: readonly StreamStats[]
  readonly tables: Readonly<Record<string, { readonly rows: number; readonly bytes: number }>>
  readonly fileBytes: number
  /** Of the file: free pages, which the next checkpoints use. */
  readonly reclaimableBytes: number
  readonly journalBytes: number
  readonly journalSegments: number
}

const TOP = 10

export const statsTool: ToolRun = async (argv, output) => {
  const command = toolCommand('stats', 'What a data folder holds and takes, as of its last checkpoint.', output)
    .argument('<folder>', 'the data folder; a server may be using it')
    .option('--top <n>', 'how many of the largest streams are named', String(TOP))
    .option('--json', 'the report as JSON')
  if (!parsed(command, argv)) return 0
  const { json, top } = command.opts<{ json?: boolean; top: string }>()
  if (!/^\d{1,6}$/.test(top)) throw new UsageError(`--top takes a number of streams, not '${top}'.`)
  const stats = await statsOf(command.args[0], Number(top))
  if (json === true) output.out(`${JSON.stringify(stats)}\n`)
  else print(stats, output)
  return 0
}

export async function statsOf(folder: string, top: number): Promise<FolderStats> {
  const places = placesIn(folder)
  const segments = listSegments(places.journal)
  const sizes = segments.map(({ path }) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  const journal = { journalBytes: sizes.reduce((sum, size) => sum + size, 0), journalSegments: segments.length }
  const rest = { folder, inUse: places.inUse, ...journal }
  if (!existsSync(join(places.store, STORE_FILE))) {
    return { ...rest, keys: {}, streams: [], tables: {}, fileBytes: 0, reclaimableBytes: 0 }
  }
  const environment = new Environment(places.store, true)
  try {
    const { fileBytes, freeBytes, tables } = environment.space()
    const named = Object.fromEntries(tables.map((table, i) => [TABLE_NAMES[i], table]))
    return { ...rest, ...countKeys(environment, top), tables: named, fileBytes, reclaimableBytes: freeBytes }
  } finally {
    await environment.close()
  }
}

function countKeys(environment: Environment, top: number): Pick<FolderStats, 'keys' | 'streams'> {
  const rows = new ReadRows(environment)
  const keys: Record<string, Record<string, number>> = {}
  let streams: StreamStats[] = []
  for (const { database, name, typeCode, objectId } of walkDirectory(environment, rows)) {
    const type = typeByCode(typeCode)?.name ?? 'unknown'
    const counts = (keys[database] ??= {})
    counts[type] = (counts[type] ?? 0) + 1
    if (typeCode !== streamType.code) continue
    const stats = streamStats(rows, database, name, objectId)
    if (stats !== undefined) streams.push(stats)
    if (streams.length >= 2 * top + 1000) streams = largest(streams, top)
    rows.cache.advance()
  }
  return { keys, streams: largest(streams, top) }
}

function largest(streams: StreamStats[], top: number): StreamStats[] {
  return streams.sort((a, b) => b.bytes - a.bytes).slice(0, top)
}

/** Undefined when its head or groups are damaged. */
function streamStats(rows: ReadRows, database: number, key: string, objectId: number): StreamStats | undefined {
  try {
    const stream = Stream.load(rows, objectId)
    let pending = 0
    for (const group of stream.groups()) pending += group.pendingCount
    return { database, key, entries: stream.length, groups: stream.groupCount, pending, bytes: stream.memoryUsage() }
  } catch (error) {
    if (error instanceof CorruptionError) return undefined
    throw error
  }
}

function print(stats: FolderStats, output: ToolOutput): void {
  for (const [database, counts] of Object.entries(stats.keys)) {
    const words = Object.entries(counts).map(([type, count]) => `${count} ${type}`)
    output.out(`database ${database}: ${words.join(', ')}\n`)
  }
  for (const { database, key, entries, groups, pending, bytes } of stats.streams) {
    const where = `stream ${quoted(key)} of database ${database}`
    output.out(`${where}: ${entries} entries, ${groups} groups, ${pending} pending, ${bytes} bytes\n`)
  }
  for (const [name, { rows, bytes }] of Object.entries(stats.tables)) {
    output.out(`table ${name}: ${rows} rows, ${bytes} bytes\n`)
  }
  output.out(`store: ${stats.fileBytes} bytes, of which ${stats.reclaimableBytes} are free to be used again\n`)
  output.out(`journal: ${stats.journalBytes} bytes in ${stats.journalSegments} segments\n`)
}
