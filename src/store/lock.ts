// One server per data folder. The lock is the kernel's, on an open file, so it ends with the process however that ends;
// the process id in the file serves the message, and is all there is where the addon is missing. Used by: store.ts.

import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../base/errors.js'
import { lockFile } from '../native/file-lock.js'
import { systemErrorText } from './system-error.js'

export const LOCK_NAME = 'LOCK'
const EWOULDBLOCK = -11

/** Folders locked by this process, which its own process id in the file cannot tell. */
const held = new Set<string>()

export class FolderLock {
  readonly #path: string
  readonly #fd: number

  /** @throws UsageError when another server, or this process, holds the folder */
  constructor(folder: string) {
    this.#path = join(folder, LOCK_NAME)
    if (held.has(this.#path)) throw inUse(folder, process.pid)
    this.#fd = openSync(this.#path, 'a+', 0o640)
    try {
      this.#lock(folder)
    } catch (error) {
      closeSync(this.#fd)
      throw error
    }
    held.add(this.#path)
  }

  #lock(folder: string): void {
    const owner = readOwner(this.#path)
    const result = lockFile(this.#fd)
    if (result === EWOULDBLOCK) throw inUse(folder, owner?.pid)
    if (result < 0) throw new UsageError(`The data folder ${folder} cannot be locked: ${systemErrorText(result)}.`)
    if (owner !== undefined && owner.pid !== process.pid && isAlive(owner)) throw inUse(folder, owner.pid)
    ftruncateSync(this.#fd)
    writeSync(this.#fd, `${process.pid} ${startOf(process.pid)}\n`)
  }

  /** Whether a server, or this process, uses the folder at this moment. Changes nothing. */
  static isHeld(folder: string): boolean {
    const path = join(folder, LOCK_NAME)
    if (held.has(path)) return true
    if (!existsSync(path)) return false
    const owner = readOwner(path)
    if (owner !== undefined && isAlive(owner)) return true
    const fd = openSync(path, 'r')
    const result = lockFile(fd)
    closeSync(fd)
    return result === EWOULDBLOCK
  }

  release(): void {
    if (!held.delete(this.#path)) return
    ftruncateSync(this.#fd)
    closeSync(this.#fd)
  }
}

interface Owner {
  readonly pid: number
  /** As startOf() gave it: a process id is used again, the pair is not. */
  readonly start: string
}

function readOwner(path: string): Owner | undefined {
  const match = /^(\d+) (\d*)\n$/.exec(readFileSync(path, 'latin1'))
  return match ? { pid: Number(match[1]), start: match[2] } : undefined
}

function isAlive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return owner.start === startOf(owner.pid)
}

/** When the process started, in the kernel's ticks; empty where there is no /proc. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program's name in parentheses and may contain anything; the start is the 22nd.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return ''
  }
}

function inUse(folder: string, pid: number | undefined): UsageError {
  const who = pid === undefined ? 'another server' : `the process ${pid}`
  return new UsageError(`The data folder ${folder} is in use by ${who}.`)
}
