// What users were denied, newest first, as ACL LOG shows it. The same denial again within a minute is counted instead
// of told twice. Nothing of it is durable.

import type { Request } from '../resp/request.js'
import { Denied } from './acl-selector.js'
import type { Denial } from './acl-selector.js'
import { clientLine } from './client-line.js'
import type { Server, Session } from './server.js'
import type { TableRow } from './table.js'

export type AclContext = 'toplevel' | 'multi' | 'lua'

export interface AclLogEntry {
  readonly reason: 'command' | 'key' | 'channel' | 'auth'
  readonly context: AclContext
  /** The command, key or channel; for 'auth' the command that gave the password. */
  readonly object: string
  readonly username: string
  /** The line of CLIENT LIST at the last time. */
  readonly clientInfo: string
  /** Unix ms of the last time. */
  readonly atMs: number
}

const SAME_WITHIN_MS = 60_000
/** So many of the newest are looked through for the same denial. */
const LOOKED_AT_MAX = 10

/** A denial and how often it came; `id` and `createdMs` are those of the first time. */
export interface CountedDenial {
  readonly entry: AclLogEntry
  readonly count: number
  readonly id: number
  readonly createdMs: number
}

export class AclLog {
  /** Newest first. */
  #entries: CountedDenial[] = []
  #nextId = 0
  readonly #lengthMax: () => number

  constructor(lengthMax: () => number) {
    this.#lengthMax = lengthMax
  }

  get entries(): readonly CountedDenial[] {
    return this.#entries
  }

  add(entry: AclLogEntry): void {
    const same = this.#entries.slice(0, LOOKED_AT_MAX).findIndex(each => isSame(each.entry, entry))
    const before = same < 0 ? undefined : this.#entries.splice(same, 1)[0]
    if (before === undefined) this.#entries.unshift({ entry, count: 1, id: this.#nextId++, createdMs: entry.atMs })
    else this.#entries.unshift({ ...before, entry, count: before.count + 1 })
    const max = this.#lengthMax()
    if (this.#entries.length > max) this.#entries.length = max
  }

  reset(): void {
    this.#entries = []
  }
}

function isSame(a: AclLogEntry, b: AclLogEntry): boolean {
  return (
    a.reason === b.reason &&
    a.context === b.context &&
    a.object === b.object &&
    a.username === b.username &&
    Math.abs(b.atMs - a.atMs) <= SAME_WITHIN_MS
  )
}

/**
 * Notes that `session` was denied a command.
 * @param username whose rules denied it
 */
export function logDenial(
  server: Server,
  session: Session,
  context: AclContext,
  what: { readonly denial: Denial; readonly row: TableRow; readonly request: Request; readonly username: string },
): void {
  const { denial, row, request, username } = what
  server.users.log.add({
    reason: denial.reason === Denied.Key ? 'key' : denial.reason === Denied.Channel ? 'channel' : 'command',
    context,
    object: denial.reason === Denied.Command ? row.name : request.text(denial.at),
    username,
    clientInfo: clientLine(server, session, 0),
    atMs: server.clock.nowMs(),
  })
}

/** The text of -NOPERM for a denial. */
export function denialText({ reason }: Denial, row: TableRow): string {
  if (reason === Denied.Key) return 'NOPERM this user has no permissions to access one of the keys used as arguments'
  if (reason === Denied.Channel) {
    return 'NOPERM this user has no permissions to access one of the channels used as arguments'
  }
  return `NOPERM this user has no permissions to run the '${row.name}' command`
}
