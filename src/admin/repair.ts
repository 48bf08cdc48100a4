// `millrace check <folder> --repair <new folder>`: what is whole of a damaged folder in a new one, and what is lost in
// words. The damaged folder stays as it is and must not be in use. Keys without damage keep their rows; a damaged value
// is made anew of what can be read of it (KeyValue.salvaged); what belongs to nobody is retired.
//
// The journal is copied up to its first damage, without the commands that concern a damaged key, or a key that such a
// command would have changed: they can only be done again on the values that they were done on.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../base/clock.js'
import { CorruptionError, UsageError } from '../base/errors.js'
import type { ToolOutput } from '../base/tool.js'
import { viewCommand } from '../exec/replay.js'
import { Request } from '../resp/request.js'
import { placesIn } from '../store/data-folder.js'
import { Environment } from '../store/environment.js'
import { RecordBuffer } from '../store/journal-record.js'
import { encodeSegmentHeader, SEGMENT, segmentName, systemFiles } from '../store/journal-segment.js'
import { recoverJournal } from '../store/recovery.js'
import { RetiredKind } from '../store/retirement.js'
import { getU48, Table } from '../store/row.js'
import { decodeDirectoryRow, encodeDirectoryKey, encodeDirectoryValue } from '../types/directory-row.js'
import { typeByCode } from '../types/types.js'
import { findingText, quoted } from './finding-text.js'
import { copyOthers, copyStore, makeFolder, syncPath } from './folder-copy.js'
import { RepairRows } from './repair-rows.js'
import { checkStore } from './store-check.js'
import type { StoreReport } from './store-check.js'

/** Returns what was done, one sentence each. @throws UsageError when it cannot be done */
export async function repairFolder(from: string, to: string, output: ToolOutput, clock: Clock): Promise<string[]> {
  const places = placesIn(from)
  if (places.inUse) throw new UsageError(`The data folder ${from} is in use: stop the server before it is repaired.`)
  const done: string[] = []
  await makeFolder(to, async draft => {
    const [store, journal] = [join(draft, 'store'), join(draft, 'journal')]
    mkdirSync(store)
    mkdirSync(journal)
    await copyStore(places.store, store, output, clock)
    const environment = new Environment(store)
    try {
      const report = checkStore(environment, () => undefined)
      const lost = report.findings.find(({ what }) => / of table meta /.test(what) || what.startsWith('meta row'))
      if (lost !== undefined) {
        throw new UsageError(`${findingText(lost)}: without this row nothing can be saved. Restore a backup.`)
      }
      const damagedKeys = new Repair(environment, report, done).run()
      copyJournal(places.journal, journal, report.position.sequence, damagedKeys, done)
      environment.refresh()
      const after = checkStore(environment, () => undefined)
      if (after.findings.length > 0) throw new CorruptionError(`After the repair: ${findingText(after.findings[0])}.`)
    } finally {
      await environment.close()
    }
    syncPath(join(store, 'data.mdb'))
    copyOthers(places.path, draft)
  })
  return done
}

class Repair {
  readonly #environment: Environment
  readonly #report: StoreReport
  readonly #rows: RepairRows
  readonly #done: string[]

  constructor(environment: Environment, report: StoreReport, done: string[]) {
    this.#environment = environment
    this.#report = report
    this.#done = done
    this.#rows = new RepairRows(environment, report.position)
  }

  /** Returns the names of the damaged keys. */
  run(): Set<string> {
    const damaged = new Set<string>()
    const directoryKeys = new Set<string>()
    for (const { key, directoryKey } of this.#report.findings) {
      if (key === undefined || directoryKey === undefined) continue
      damaged.add(key)
      directoryKeys.add(directoryKey.toString('latin1'))
    }
    for (const directoryKey of directoryKeys) this.#key(Buffer.from(directoryKey, 'latin1'))
    this.#rows.flush()
    this.#retireWaste()
    this.#rows.flush()
    return damaged
  }

  #key(directoryKey: Buffer): void {
    const rows = this.#rows
    try {
      const value = rows.read(Table.Directory, directoryKey)
      if (value === undefined) return
      const row = decodeDirectoryRow(directoryKey, value)
      const spec = typeByCode(row.typeCode)
      const before = spec?.load(rows, row.objectId)
      const twin = before?.salvaged(() => rows.flushIfLarge())
      const slot = directoryKey.readUInt32BE(0)
      // A value with nothing in it is none, but for streams.
      if (twin === undefined || (twin.type !== 'stream' && (twin as { count?: number }).count === 0)) {
        twin?.drop()
        return this.#lose(directoryKey, row.name)
      }
      rows.put(
        Table.Directory,
        encodeDirectoryKey(slot, row.name),
        encodeDirectoryValue({ ...row, objectId: twin.object.id }),
      )
      this.#done.push(`key ${quoted(row.name)}: what is whole was saved (${twin.type})`)
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error
      this.#lose(directoryKey, directoryKey.latin1Slice(5))
    }
  }

  #lose(directoryKey: Buffer, name: string): void {
    this.#rows.put(Table.Directory, directoryKey, undefined)
    this.#done.push(`key ${quoted(name)}: nothing could be saved`)
  }

  /** What nothing refers to any more, the remains of damaged values included, is deleted by the next server. */
  #retireWaste(): void {
    this.#environment.refresh()
    const { owned, trees } = checkStore(this.#environment, () => undefined)
    let ids = 0
    const retire = (table: Table, kind: RetiredKind, known: (id: number) => boolean): void => {
      let last = -1
      for (const key of this.#environment.keys(table)) {
        const id = getU48(key, 0)
        if (id === last || known(id)) continue
        last = id
        ids++
        this.#rows.retire(id, kind)
      }
    }
    for (const table of [Table.Heads, Table.Parts]) retire(table, RetiredKind.Object, id => owned.has(id))
    for (const table of [Table.Pages, Table.Blocks]) retire(table, RetiredKind.Tree, id => trees.has(id))
    if (ids > 0) this.#done.push(`the rows of ${ids} objects and trees that nothing refers to are given up`)
  }
}

/** They change keys that they do not name; what they do to others is right without the damaged ones. */
function copyJournal(from: string, to: string, position: number, damaged: Set<string>, done: string[]): void {
  const buffer = new RecordBuffer()
  const request = new Request()
  let next = position
  let dropped = 0
  const isConcerned = (bytes: Buffer): boolean => {
    if (!viewCommand(request, bytes)) return true
    const names: string[] = []
    for (let i = 1; i < request.argc; i++) names.push(request.bytes(i).latin1Slice())
    if (!names.some(name => damaged.has(name))) return false
    // Values among the arguments taint as well: too much is given up, never too little.
    for (const name of names) damaged.add(name)
    return true
  }
  const warnings: string[] = []
  const nothing = { remove: () => undefined, cut: () => undefined, settle: () => undefined }
  const log = { warning: (message: string) => void warnings.push(message) }
  const { records } = recoverJournal(
    from,
    position,
    log,
    ({ nowMs, effects }) => {
      buffer.begin(next, nowMs)
      for (const { database, bytes } of effects) {
        if (damaged.size > 0 && isConcerned(bytes)) dropped++
        else buffer.add(database, bytes, 0, bytes.length)
      }
      if (buffer.end()) next++
    },
    nothing,
    0,
  )
  for (const warning of warnings) done.push(`journal: ${warning}`)
  if (dropped > 0)
    done.push(`journal: ${dropped} commands on damaged keys, and on what they would have changed, are lost`)
  if (buffer.used > 0) {
    const fd = systemFiles.create(join(to, segmentName(position)))
    systemFiles.writeHeader(fd, encodeSegmentHeader(position))
    const wrote = systemFiles.writeRecords(fd, buffer.bytes, buffer.used, SEGMENT.BODY)
    systemFiles.close(fd)
    if (wrote < 0) throw new UsageError(`The journal could not be written: error ${-wrote}.`)
    syncPath(join(to, segmentName(position)))
  }
  syncPath(to)
  done.push(`journal: ${next - position} of ${records} records are kept`)
}
