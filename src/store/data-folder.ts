// The data folder: makes a new one, recognises ours, refuses any other. Used by: store.ts.
//
//   FORMAT      one line: what this is, and its version
//   LOCK        held by the running server
//   journal/    segments (docs/format/journal.md)
//   store/      the LMDB environment (docs/format/store.md)

import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../base/errors.js'
import { FolderLock, LOCK_NAME } from './lock.js'
import { systemErrorText } from './system-error.js'

export const FOLDER_VERSION = 1
export const FORMAT_NAME = 'FORMAT'
const FORMAT = /^millrace data folder, version (\d+)\n$/
/** What may be in a folder that we take as new: our own beginnings, and what mkfs makes. */
const NOBODYS = new Set([LOCK_NAME, `${FORMAT_NAME}.new`, 'lost+found'])

/** Where things are in a data folder that is only read. */
export interface FolderPlaces {
  readonly path: string
  readonly journal: string
  readonly store: string
  /** A server uses it at this moment. */
  readonly inUse: boolean
}

/** A data folder for reading, beside a server or alone. @throws UsageError, one sentence, when it is none */
export function placesIn(path: string): FolderPlaces {
  if (!isFormatted(path)) throw new UsageError(`${path} is not a Millrace data folder: it has no file ${FORMAT_NAME}.`)
  return { path, journal: join(path, 'journal'), store: join(path, 'store'), inUse: FolderLock.isHeld(path) }
}

export class DataFolder {
  readonly path: string
  readonly journal: string
  readonly store: string
  readonly #lock: FolderLock

  /** Opens and locks the folder, and makes it if need be. @throws UsageError, one sentence, when it cannot be ours */
  constructor(path: string) {
    this.path = path
    this.journal = join(path, 'journal')
    this.store = join(path, 'store')
    make(path)
    this.#lock = accessing(path, () => {
      refuseForeign(path)
      return new FolderLock(path)
    })
    try {
      accessing(path, () => {
        if (!isFormatted(path)) writeFormat(path)
        mkdirSync(this.journal, { recursive: true })
        mkdirSync(this.store, { recursive: true })
      })
    } catch (error) {
      this.#lock.release()
      throw error
    }
  }

  /** Bytes of the store's file; most of them may be free inside it. */
  get fileBytes(): number {
    return statSync(join(this.store, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0
  }

  release(): void {
    this.#lock.release()
  }
}

function make(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
    if (!statSync(path).isDirectory()) throw new Error('not a folder')
  } catch (error) {
    throw new UsageError(`The data folder ${path} cannot be made or opened: ${(error as Error).message}.`)
  }
}

/** What the system refuses (no rights, a read-only or full disk) is the operator's to mend. @throws UsageError */
function accessing<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { errno } = error as NodeJS.ErrnoException
    if (errno === undefined) throw error
    throw new UsageError(`The data folder ${path} cannot be read and written: ${systemErrorText(errno)}.`)
  }
}

/** Before anything is written into the folder. */
function refuseForeign(path: string): void {
  if (isFormatted(path)) return
  const foreign = readdirSync(path).find(name => !NOBODYS.has(name))
  if (foreign !== undefined) {
    throw new UsageError(`The folder ${path} is not empty and not a Millrace data folder (it holds "${foreign}").`)
  }
}

/** @throws UsageError when it is of another version */
function isFormatted(path: string): boolean {
  const file = join(path, FORMAT_NAME)
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return false
  const match = FORMAT.exec(readFileSync(file, 'latin1'))
  if (match === null) throw new UsageError(`The file ${file} is not that of a Millrace data folder.`)
  if (Number(match[1]) !== FOLDER_VERSION) {
    throw new UsageError(
      `The data folder ${path} has format version ${match[1]}; this program reads version ${FOLDER_VERSION}.`,
    )
  }
  return true
}

function writeFormat(path: string): void {
  const temporary = join(path, `${FORMAT_NAME}.new`)
  const fd = openSync(temporary, 'w', 0o640)
  writeSync(fd, `millrace data folder, version ${FOLDER_VERSION}\n`)
  fsyncSync(fd)
  closeSync(fd)
  renameSync(temporary, join(path, FORMAT_NAME))
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}
