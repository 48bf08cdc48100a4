// `millrace dump-stream`: one stream of a data folder, with its groups, consumers and pending entries, to a file. Reads
// beside a running server, as of its last checkpoint; when the journal behind that has changes of the key, it says so
// instead of leaving them out.

import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { systemClock } from '../base/clock.js'
import { CorruptionError, UsageError } from '../base/errors.js'
import { compareIds, formatId, ID_MAX, ID_MIN } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import type { ToolOutput, ToolRun } from '../base/tool.js'
import { viewCommand } from '../exec/replay.js'
import { Request } from '../resp/request.js'
import { placesIn } from '../store/data-folder.js'
import { Environment } from '../store/environment.js'
import { recoverJournal } from '../store/recovery.js'
import { Table } from '../store/row.js'
import { decodePosition, EMPTY_POSITION, POSITION_KEY } from '../store/store-position.js'
import type { ConsumerGroup } from '../types/stream/group.js'
import type { Pending } from '../types/stream/pending.js'
import { Stream, streamType } from '../types/stream/stream.js'
import { quoted } from './finding-text.js'
import { findKey } from './directory-walk.js'
import { STORE_FILE } from './folder-check.js'
import { syncPath } from './folder-copy.js'
import { Progress } from './progress.js'
import { ReadRows } from '../store/read-rows.js'
import { SECTION, StreamFileWriter } from './stream-file.js'
import { parsed, toolCommand } from './tool-arguments.js'

const ENTRIES_BYTES = 1 << 18
const PENDING_PER_SECTION = 4096
const TRIES_MAX = 10
/** They change keys that they do not name. */
const OF_ALL_KEYS = new Set(['FLUSHALL', 'FLUSHDB', 'SWAPDB'])

export const dumpStreamTool: ToolRun = async (argv, output) => {
  const command = toolCommand('dump-stream', 'Writes one stream with its groups to a file.', output)
    .argument('<folder>', 'the data folder; a server may be using it')
    .argument('<key>', 'the name of the stream')
    .argument('<file>', 'a new file')
    .option('--db <n>', 'database of the key', '0')
    .option('--checkpoint', 'as of the last checkpoint, whatever the journal has behind it')
  if (!parsed(command, argv)) return 0
  const { db, checkpoint } = command.opts<{ db: string; checkpoint?: boolean }>()
  if (!/^\d{1,9}$/.test(db)) throw new UsageError(`--db takes the number of a database, not '${db}'.`)
  const [folder, key, file] = command.args
  if (existsSync(file)) throw new UsageError(`The file ${file} exists: a dump is written to a new one.`)
  const name = Buffer.from(key).latin1Slice()
  const places = placesIn(folder)
  if (!existsSync(join(places.store, STORE_FILE))) throw new UsageError(`${folder} has no checkpoint yet.`)
  const environment = new Environment(places.store, true)
  try {
    if (checkpoint === true) environment.refresh()
    else refuseNews(places.journal, environment, name)
    const draft = `${file}.new`
    rmSync(draft, { force: true })
    try {
      const report = dumpStream(environment, Number(db), name, draft, output)
      renameSync(draft, file)
      syncPath(dirname(resolve(file)))
      output.out(`${file}: ${report}\n`)
    } finally {
      rmSync(draft, { force: true })
    }
  } finally {
    await environment.close()
  }
  return 0
}

/**
 * Leaves `environment` at a snapshot behind which the journal, at this moment, has no change of the key.
 * @throws UsageError when it has
 */
function refuseNews(journal: string, environment: Environment, name: string): void {
  for (let tries = 1; ; tries++) {
    environment.refresh()
    const position = positionOf(environment)
    try {
      const changes = changesIn(journal, position, name)
      if (changes === 0) return
      throw new UsageError(
        `The journal has ${changes} changes of ${quoted(name)} behind the last checkpoint. Take one (SAVE, or start ` +
          'and stop the server) and try again, or dump the older state with --checkpoint.',
      )
    } catch (error) {
      // Beside a server a checkpoint may have deleted segments meanwhile.
      if (error instanceof UsageError || tries === TRIES_MAX) throw error
      environment.refresh()
      if (positionOf(environment) === position) throw error
    }
  }
}

function positionOf(environment: Environment): number {
  const row = environment.read(Table.Meta, POSITION_KEY)
  return (row === undefined ? EMPTY_POSITION : decodePosition(row)).sequence
}

function changesIn(journal: string, position: number, name: string): number {
  const key = Buffer.from(name, 'latin1')
  const request = new Request()
  let changes = 0
  const look = (bytes: Buffer): void => {
    if (!viewCommand(request, bytes)) return
    let concerned = OF_ALL_KEYS.has(request.text(0).toUpperCase())
    for (let i = 1; i < request.argc; i++) if (request.bytes(i).equals(key)) concerned = true
    if (concerned) changes++
  }
  const nothing = { remove: () => undefined, cut: () => undefined, settle: () => undefined }
  const silent = { warning: () => undefined }
  recoverJournal(journal, position, silent, ({ effects }) => effects.forEach(({ bytes }) => look(bytes)), nothing)
  return changes
}

/** Returns what was written, in words. */
function dumpStream(environment: Environment, db: number, name: string, path: string, output: ToolOutput): string {
  const rows = new ReadRows(environment)
  const row = findKey(rows, db, name)
  if (row === undefined) throw new UsageError(`Database ${db} has no key ${quoted(name)}.`)
  if (row.typeCode !== streamType.code) throw new UsageError(`The key ${quoted(name)} is not a stream.`)
  const stream = Stream.load(rows, row.objectId)
  const file = new StreamFileWriter(path)
  try {
    const dump = new Dump(stream, file, rows, new Progress(output, systemClock, 'dumped % entries', stream.length))
    const words = dump.run(name, db, row.expireAtMs)
    file.close()
    return words
  } catch (error) {
    file.abandon()
    if (!(error instanceof CorruptionError)) throw error
    throw new CorruptionError(`${error.message} The stream is damaged: millrace check --repair saves what is whole.`)
  }
}

class Dump {
  readonly #stream: Stream
  readonly #file: StreamFileWriter
  readonly #rows: ReadRows
  readonly #progress: Progress
  #entries = 0
  #pending = 0

  constructor(stream: Stream, file: StreamFileWriter, rows: ReadRows, progress: Progress) {
    this.#stream = stream
    this.#file = file
    this.#rows = rows
    this.#progress = progress
  }

  run(key: string, database: number, expireAtMs: number): string {
    const stream = this.#stream
    const groups = stream.groups()
    this.#file.section(SECTION.stream, writer => {
      writer.sizedText(key)
      for (const number of [database, expireAtMs]) writer.sizedText(String(number))
      writer.sizedText(formatId(stream.lastId))
      writer.sizedText(formatId(stream.maxDeletedId))
      for (const number of [stream.entriesAdded, stream.length, groups.length]) writer.sizedText(String(number))
    })
    this.#deleted(groups)
    this.#allEntries()
    for (const group of groups) this.#group(group)
    const counts = [this.#entries, groups.length, this.#pending]
    this.#file.section(SECTION.end, writer => counts.forEach(count => writer.sizedText(String(count))))
    return `${this.#entries} entries, ${groups.length} groups, ${this.#pending} pending, ${this.#file.bytes} bytes`
  }

  /** Who loads the file must know them before the entries: only an entry that exists can be made pending. */
  #deleted(groups: readonly ConsumerGroup[]): void {
    const deleted = new Map<string, StreamId>()
    for (const group of groups) {
      for (const { id } of group.pendingRange(ID_MIN, ID_MAX)) {
        if (!this.#stream.has(id)) deleted.set(formatId(id), id)
        this.#rows.cache.advance()
      }
    }
    const ids = [...deleted.values()].sort(compareIds)
    for (let at = 0; at < ids.length; at += PENDING_PER_SECTION) {
      const some = ids.slice(at, at + PENDING_PER_SECTION)
      this.#file.section(SECTION.deleted, writer => {
        writer.varint(some.length)
        for (const id of some) writer.sizedText(formatId(id))
      })
    }
  }

  #allEntries(): void {
    let slices: Buffer[] = []
    let bytes = 0
    let entries = 0
    const flush = (): void => {
      if (entries === 0) return
      this.#file.section(SECTION.entries, writer => {
        writer.varint(entries)
        writer.sized(Buffer.concat(slices))
      })
      this.#entries += entries
      this.#progress.step(entries)
      slices = []
      bytes = entries = 0
    }
    for (const slice of this.#stream.range(ID_MIN, ID_MAX, Infinity)) {
      slices.push(slice.bytes.subarray(slice.from, slice.to))
      bytes += slice.to - slice.from
      entries += slice.entries
      if (bytes >= ENTRIES_BYTES) flush()
      this.#rows.cache.advance()
    }
    flush()
  }

  #group(group: ConsumerGroup): void {
    const consumers = group.consumers()
    this.#file.section(SECTION.group, writer => {
      writer.sizedText(group.name)
      writer.sizedText(formatId(group.lastDeliveredId))
      writer.sizedText(group.entriesRead === undefined ? '' : String(group.entriesRead))
      for (const count of [consumers.length, group.pendingCount]) writer.sizedText(String(count))
    })
    const places = new Map<number, number>()
    for (const { name, number, seenMs, activeMs } of consumers) {
      places.set(number, places.size)
      this.#file.section(SECTION.consumer, writer => {
        writer.sizedText(name)
        writer.sizedText(String(seenMs))
        writer.sizedText(activeMs === undefined ? '' : String(activeMs))
      })
    }
    let some: [id: string, delivered: string, deliveries: string, consumer: number][] = []
    const flush = (): void => {
      if (some.length === 0) return
      this.#file.section(SECTION.pending, writer => {
        writer.varint(some.length)
        for (const [id, delivered, deliveries, consumer] of some) {
          for (const text of [id, delivered, deliveries]) writer.sizedText(text)
          writer.varint(consumer)
        }
      })
      this.#pending += some.length
      some = []
    }
    const add = ({ id, owner, deliveredMs, deliveries }: Pending): void => {
      const place = owner === undefined ? consumers.length : places.get(owner.number)!
      some.push([formatId(id), String(deliveredMs), String(deliveries), place])
      if (some.length === PENDING_PER_SECTION) flush()
      this.#rows.cache.advance()
    }
    for (const row of group.pendingRange(ID_MIN, ID_MAX)) if (row.owner !== undefined) add(row)
    // What XNACK released is claimed in the order of its release.
    if (group.releasedCount > 0) for (const row of group.oldestPending(0)) if (row.owner === undefined) add(row)
    flush()
  }
}
