// A consistent copy of a data folder, beside a server that goes on writing: LMDB's own snapshot, and the journal behind
// the position that the snapshot stands for. Used by: backup, restore, repair.
//
// Segments that a checkpoint deletes meanwhile stay readable, because they are opened before: they are looked for
// before the snapshot, during and after it. The copy ends with what the newest segment held at one moment; older ones
// do not change any more, so the journal has no gap. That is verified before the copy gets its name.

import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Clock } from '../base/clock.js'
import { CorruptionError, UsageError } from '../base/errors.js'
import type { ToolOutput } from '../base/tool.js'
import { placesIn } from '../store/data-folder.js'
import type { FolderPlaces } from '../store/data-folder.js'
import { Environment } from '../store/environment.js'
import { listSegments } from '../store/journal-segment.js'
import { LOCK_NAME } from '../store/lock.js'
import { Table } from '../store/row.js'
import { decodePosition, EMPTY_POSITION, POSITION_KEY } from '../store/store-position.js'
import { STORE_FILE } from './folder-check.js'
import { checkJournal } from './journal-check.js'
import { Progress } from './progress.js'

const LOOK_MS = 20
const TRIES_MAX = 5
const COPY_BYTES = 1 << 20

export interface CopyReport {
  /** Of the store's file, and of the journal behind it. */
  readonly storeBytes: number
  readonly journalBytes: number
  readonly records: number
}

/**
 * Copies the data folder `from` to `to`, which must not exist or be empty; `to` appears when it is whole and durable.
 * @throws UsageError when that cannot be; CorruptionError when the journal of `from` is damaged
 */
export async function copyFolder(from: string, to: string, output: ToolOutput, clock: Clock): Promise<CopyReport> {
  const places = placesIn(from)
  return makeFolder(to, draft => copyInto(draft, places, output, clock))
}

/** Has `fill` make a folder, which gets the name `to` when it is whole. @throws UsageError when `to` is not empty */
export async function makeFolder<T>(to: string, fill: (draft: string) => Promise<T>): Promise<T> {
  const target = resolve(to)
  if (existsSync(target)) {
    if (!statSync(target).isDirectory() || readdirSync(target).length > 0) {
      throw new UsageError(`${to} exists and is not an empty folder: a copy is made in a new one.`)
    }
  }
  mkdirSync(dirname(target), { recursive: true })
  const draft = mkdtempSync(join(dirname(target), `.${basename(target)}-`))
  try {
    const report = await fill(draft)
    if (existsSync(target)) rmdirSync(target)
    renameSync(draft, target)
    syncPath(dirname(target))
    return report
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw error
  }
}

async function copyInto(draft: string, places: FolderPlaces, output: ToolOutput, clock: Clock): Promise<CopyReport> {
  for (let tries = 1; ; tries++) {
    const copy = { store: join(draft, 'store'), journal: join(draft, 'journal') }
    const held = new HeldSegments(places.journal)
    const timer = setInterval(() => held.look(), LOOK_MS)
    try {
      mkdirSync(copy.store)
      mkdirSync(copy.journal)
      held.look()
      await copyStore(places.store, copy.store, output, clock)
      held.look()
      const position = await positionOf(copy.store)
      const journalBytes = held.copyTo(copy.journal, position)
      const { findings, records } = checkJournal(copy.journal, () => position, true)
      if (findings.length === 0) {
        copyOthers(places.path, draft)
        const storeBytes = statSync(join(copy.store, STORE_FILE), { throwIfNoEntry: false })?.size ?? 0
        return { storeBytes, journalBytes, records }
      }
      if (!places.inUse || tries === TRIES_MAX) throw new CorruptionError(findings[0])
      rmSync(copy.store, { recursive: true })
      rmSync(copy.journal, { recursive: true })
    } finally {
      clearInterval(timer)
      held.close()
    }
  }
}

/** A snapshot of the store's file in `from`. */
export async function copyStore(from: string, to: string, output: ToolOutput, clock: Clock): Promise<void> {
  const file = join(from, STORE_FILE)
  if (!existsSync(file)) return
  const copied = join(to, STORE_FILE)
  const progress = new Progress(output, clock, 'copied % bytes', statSync(file).size)
  const timer = setInterval(() => progress.look(statSync(copied, { throwIfNoEntry: false })?.size ?? 0), 200)
  const environment = new Environment(from, true)
  try {
    // Compact: the free pages of the file are left out.
    await environment.root.backup(to, true)
  } finally {
    clearInterval(timer)
    await environment.close()
  }
  syncPath(copied)
  syncPath(to)
}

async function positionOf(store: string): Promise<number> {
  if (!existsSync(join(store, STORE_FILE))) return EMPTY_POSITION.sequence
  const environment = new Environment(store, true)
  try {
    const row = environment.read(Table.Meta, POSITION_KEY)
    return row === undefined ? EMPTY_POSITION.sequence : decodePosition(row).sequence
  } finally {
    await environment.close()
  }
}

/** What else lies in the folder: its format, and files that the configuration keeps there (users). */
export function copyOthers(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!entry.isFile() || entry.name === LOCK_NAME) continue
    copyFileSync(join(from, entry.name), join(to, entry.name))
    syncPath(join(to, entry.name))
  }
  syncPath(to)
}

/** Segments of a journal that somebody else writes and deletes, kept open. */
class HeldSegments {
  readonly #folder: string
  readonly #fds = new Map<number, { fd: number; name: string }>()

  constructor(folder: string) {
    this.#folder = folder
  }

  look(): void {
    if (!existsSync(this.#folder)) return
    for (const { first, path } of listSegments(this.#folder)) {
      if (this.#fds.has(first)) continue
      try {
        this.#fds.set(first, { fd: openSync(path, 'r'), name: basename(path) })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
  }

  /** Copies what a start from `position` reads; returns the bytes. */
  copyTo(folder: string, position: number): number {
    const firsts = [...this.#fds.keys()].sort((a, b) => a - b)
    const needed = firsts.filter((_, i) => i + 1 === firsts.length || firsts[i + 1] > position)
    let sum = 0
    // The newest first: what it holds now is the end of the copy, and those before it are closed for good.
    for (const first of needed.reverse()) {
      const { fd, name } = this.#fds.get(first)!
      sum += copyBytes(fd, fstatSync(fd).size, join(folder, name))
    }
    syncPath(folder)
    return sum
  }

  close(): void {
    for (const { fd } of this.#fds.values()) closeSync(fd)
  }
}

function copyBytes(from: number, length: number, path: string): number {
  const to = openSync(path, 'wx', 0o640)
  try {
    const buffer = Buffer.allocUnsafe(COPY_BYTES)
    for (let at = 0; at < length;) {
      const read = readSync(from, buffer, 0, Math.min(COPY_BYTES, length - at), at)
      if (read === 0) break
      writeSync(to, buffer, 0, read)
      at += read
    }
    fsyncSync(to)
  } finally {
    closeSync(to)
  }
  return length
}

/** Brings a file, or a folder's names, to the device. */
export function syncPath(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
