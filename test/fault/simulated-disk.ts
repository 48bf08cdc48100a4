// A disk that remembers: the file operations of a journal and the commits of the store beside it, in order, each with
// what was durable by then. From any prefix of them it makes the folder that a power cut at that moment may leave:
// what was synced is there; of what was not, some of the first writes (or any) and a part of one, and names that were
// not synced are there or not. It also lets operations fail, as devices do: a write that got through in part, a full
// disk, a sync that reports an error once and has lost what it was to bring to the device.

import { copyFileSync, existsSync, mkdirSync, writeFileSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { systemFiles, ZEROS_BYTES } from '../../src/store/journal-segment.js'
import type { JournalFiles } from '../../src/store/journal-segment.js'
import { encodeSyncMark, SYNC_MARK_NAME } from '../../src/store/sync-mark.js'
import type { Seeded } from '../support/seeded.js'

const EIO = -5
const ENOSPC = -28

type Operation =
  | { readonly kind: 'create' | 'remove'; readonly name: string }
  | { readonly kind: 'write'; readonly name: string; readonly offset: number; readonly bytes: Buffer }
  /** Of what was written and made before operation `since`. */
  | { readonly kind: 'sync' | 'lost'; readonly name: string; readonly since: number }
  | { readonly kind: 'syncFolder'; readonly since: number }
  /** The file SYNCED was put in place; nothing ever brings it to the device. */
  | { readonly kind: 'mark'; readonly bytes: Buffer }
  /** The store was committed; a copy of its file. */
  | { readonly kind: 'store'; readonly copy: string }

export type FailingKind = 'write' | 'sync' | 'create' | 'header' | 'zeros' | 'syncFolder' | 'remove'

type Done = (error: NodeJS.ErrnoException | null) => void

interface Write {
  readonly at: number
  readonly offset: number
  readonly bytes: Buffer
  state: 'cached' | 'durable' | 'lost'
}

interface SimulatedFile {
  readonly madeAt: number
  removedAt: number
  /** The name, or its removal, is on the device. */
  nameDurable: boolean
  removalDurable: boolean
  writes: Write[]
}

export class SimulatedDisk implements JournalFiles {
  readonly operations: Operation[] = []
  /** Called before each operation is noted. */
  onOperation: () => void = () => undefined
  /** Called before a segment is deleted: a checkpoint that makes it superfluous was committed. */
  onRemove: () => void = () => undefined
  /** Says whether the next operation fails; never unless set. */
  fails: (kind: FailingKind) => boolean = () => false
  readonly #names = new Map<number, string>()

  makeFolder = systemFiles.makeFolder

  create(path: string): number {
    if (this.fails('create')) throw systemError('EROFS', 'read-only file system')
    const fd = systemFiles.create(path)
    this.#names.set(fd, basename(path))
    this.#note({ kind: 'create', name: basename(path) })
    return fd
  }

  writeRecords(fd: number, bytes: Buffer, length: number, offset: number): number {
    const wrote = systemFiles.writeRecords(fd, bytes, length, offset)
    const failed = this.fails('write')
    // A part reaches the file, as when the disk is full.
    const part = failed ? length >> 1 : length
    this.#note({ kind: 'write', name: this.#name(fd), offset, bytes: Buffer.from(bytes.subarray(0, part)) })
    return failed ? (part % 2 === 0 ? ENOSPC : EIO) : wrote
  }

  writeHeader(fd: number, header: Buffer): void {
    const failed = this.fails('header')
    const bytes = Buffer.from(failed ? header.subarray(0, header.length >> 1) : header)
    writeSync(fd, bytes, 0, bytes.length, 0)
    this.#note({ kind: 'write', name: this.#name(fd), offset: 0, bytes })
    if (failed) throw systemError('ENOSPC', 'no space left on device')
  }

  writeZeros(fd: number, offset: number): void {
    const bytes = Buffer.alloc(this.fails('zeros') ? ZEROS_BYTES >> 1 : ZEROS_BYTES)
    writeSync(fd, bytes, 0, bytes.length, offset)
    this.#note({ kind: 'write', name: this.#name(fd), offset, bytes })
    if (bytes.length < ZEROS_BYTES) throw systemError('ENOSPC', 'no space left on device')
  }

  /** Room reads as zeros; what of it reaches the device, and when, is as open as for a write. */
  reserve(fd: number, offset: number, bytes: number): number {
    if (this.fails('zeros')) return -28
    const zeros = Buffer.alloc(bytes)
    writeSync(fd, zeros, 0, bytes, offset)
    this.#note({ kind: 'write', name: this.#name(fd), offset, bytes: zeros })
    return 0
  }

  sync(fd: number, done: Done): void {
    const name = this.#name(fd)
    const since = this.operations.length
    const failed = this.fails('sync')
    setImmediate(() => {
      this.#note({ kind: failed ? 'lost' : 'sync', name, since })
      done(failed ? systemError('EIO', 'i/o error') : null)
    })
  }

  syncFolder(_path: string, done: Done): void {
    const since = this.operations.length
    const failed = this.fails('syncFolder')
    setImmediate(() => {
      if (!failed) this.#note({ kind: 'syncFolder', since })
      done(failed ? systemError('EIO', 'i/o error') : null)
    })
  }

  writeMark(path: string, bytes: Buffer): void {
    systemFiles.writeMark(path, bytes)
    this.#note({ kind: 'mark', bytes })
  }

  close(fd: number): void {
    systemFiles.close(fd)
    this.#names.delete(fd)
  }

  remove(path: string): void {
    this.onRemove()
    if (this.fails('remove')) throw systemError('EROFS', 'read-only file system')
    systemFiles.remove(path)
    this.#note({ kind: 'remove', name: basename(path) })
  }

  /** Notes a commit of the store in `folder`, at a moment when nothing is written to it. */
  committed(folder: string, copies: string): void {
    const copy = join(copies, `${this.operations.length}.mdb`)
    copyFileSync(join(folder, 'store', 'data.mdb'), copy)
    this.#note({ kind: 'store', copy })
  }

  #note(operation: Operation): void {
    this.onOperation()
    this.operations.push(operation)
  }

  #name(fd: number): string {
    const name = this.#names.get(fd)
    if (name === undefined) throw new Error(`descriptor ${fd} is not open`)
    return name
  }

  /** Makes the data folder that a power cut after `count` operations may leave. */
  afterCut(count: number, rng: Seeded, folder: string): void {
    mkdirSync(join(folder, 'journal'), { recursive: true })
    mkdirSync(join(folder, 'store'), { recursive: true })
    writeFileSync(join(folder, 'FORMAT'), 'millrace data folder, version 1\n')
    const files = new Map<string, SimulatedFile>()
    let store: string | undefined
    const marks = [encodeSyncMark(1)]
    for (let at = 0; at < count; at++) {
      const operation = this.operations[at]
      if (operation.kind === 'store') store = operation.copy
      else if (operation.kind === 'mark') marks.push(operation.bytes)
      else apply(operation, at, files)
    }
    for (const [name, file] of files) {
      const removed = file.removedAt >= 0 && (file.removalDurable || rng.below(2) === 0)
      const there = !removed && (file.nameDurable || rng.below(2) === 0)
      if (there) writeFileSync(join(folder, 'journal', name), contentOf(file, rng))
    }
    // Any of them may be what the device has; the first is that of the start, which is synced.
    writeFileSync(join(folder, 'journal', SYNC_MARK_NAME), marks[rng.below(marks.length)])
    if (store !== undefined && existsSync(store)) copyFileSync(store, join(folder, 'store', 'data.mdb'))
  }
}

function apply(operation: Operation, at: number, files: Map<string, SimulatedFile>): void {
  switch (operation.kind) {
    case 'create':
      files.set(operation.name, { madeAt: at, removedAt: -1, nameDurable: false, removalDurable: false, writes: [] })
      break
    case 'write': {
      const { offset, bytes } = operation
      files.get(operation.name)?.writes.push({ at, offset, bytes, state: 'cached' })
      break
    }
    case 'remove': {
      const file = files.get(operation.name)
      if (file !== undefined) file.removedAt = at
      break
    }
    case 'syncFolder':
      for (const file of files.values()) {
        if (file.madeAt < operation.since) file.nameDurable = true
        if (file.removedAt >= 0 && file.removedAt < operation.since) file.removalDurable = true
      }
      break
    case 'sync':
    case 'lost': {
      const state = operation.kind === 'sync' ? 'durable' : 'lost'
      for (const write of files.get(operation.name)?.writes ?? []) {
        if (write.at < operation.since && write.state === 'cached') write.state = state
      }
      break
    }
    default:
  }
}

/** What is durable, and some of the first writes that are not, the last of them torn, with or without zeros behind. */
function contentOf(file: SimulatedFile, rng: Seeded): Buffer {
  const cached = file.writes.filter(write => write.state === 'cached')
  const whole = rng.below(cached.length + 1)
  const torn = cached[whole]
  // What overwrites room that is there already may reach the device in any order.
  const inOrder = rng.below(3) > 0
  const arrived = new Set(cached.filter((_, i) => (inOrder ? i < whole : rng.below(2) === 0)))
  const applied = file.writes.filter(write => write.state === 'durable' || arrived.has(write))
  const kept = applied.filter(write => write.state !== 'lost')
  let content = Buffer.alloc(0)
  const put = (offset: number, bytes: Buffer): void => {
    const end = Math.max(content.length, offset + bytes.length)
    const next = Buffer.alloc(end)
    content.copy(next)
    bytes.copy(next, offset)
    content = next
  }
  for (const { offset, bytes } of kept) put(offset, bytes)
  if (torn === undefined) return content
  const part = rng.below(torn.bytes.length + 1)
  put(torn.offset, torn.bytes.subarray(0, part))
  if (rng.below(3) === 0) put(torn.offset + part, Buffer.alloc(torn.bytes.length - part))
  return content
}

function systemError(code: string, words: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${words} (${code})`), { code })
}
