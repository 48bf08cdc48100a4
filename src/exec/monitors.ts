// MONITOR: clients that are shown every command that was run, as a line of time, database, address and quoted
// arguments. Used by: executor. What administers the server, and what a row calls secret, is not shown.

import type { Clock } from '../base/clock.js'
import { Flag } from '../commands/spec.js'
import type { TableRow } from '../commands/table.js'
import type { Request } from '../resp/request.js'
import type { ClientSession } from './session.js'

export const REDACTED = '(redacted)'
const OK_BYTES = 5

export class Monitors {
  readonly #sessions = new Set<ClientSession>()
  /** Those whose '+OK' nothing stands before, until a line is to follow it. */
  readonly #fresh = new Set<ClientSession>()
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Before its '+OK' is written. */
  add(session: ClientSession): void {
    session.monitoring = true
    if (session.outputIsEmpty) this.#fresh.add(session)
    this.#sessions.add(session)
  }

  remove(session: ClientSession): void {
    session.monitoring = false
    this.#fresh.delete(session)
    this.#sessions.delete(session)
  }

  /** Before a command is run: a script stands in front of what it calls. */
  before(session: ClientSession, row: TableRow, request: Request): void {
    if ((row.flags & Flag.SkipMonitor) !== 0) this.#feed(session, row, request)
  }

  /** After a command was run, so that SELECT shows the database it chose, and EXEC stands behind what it ran. */
  after(session: ClientSession, row: TableRow, request: Request): void {
    // What it holds now is an answer to something else.
    if (this.#fresh.size > 0 && row.name !== 'monitor') this.#fresh.delete(session)
    if ((row.flags & (Flag.Admin | Flag.SkipMonitor)) === 0) this.#feed(session, row, request)
  }

  #feed(session: ClientSession, row: TableRow, request: Request): void {
    const us = this.#clock.nowUs()
    const time = `${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, '0')}`
    const from = session.transport.unix ? `unix:${session.address.replace(/:0$/, '')}` : session.address
    const secrets = row.spec.secrets?.(request)
    let line = `+${time} [${session.databaseIndex} ${from}]`
    for (let i = 0; i < request.argc; i++) line += ` "${escaped(secrets?.includes(i) ? REDACTED : request.text(i))}"`
    const bytes = [Buffer.from(line + '\r\n', 'latin1')]
    if (this.#fresh.size > 0) this.#sendFresh()
    for (const monitor of this.#sessions) monitor.push(bytes)
  }

  /**
   * Clients take what comes with their '+OK' for replies: where others are served in the same turn, it leaves before
   * their lines.
   */
  #sendFresh(): void {
    for (const monitor of this.#fresh) if (monitor.reply.position === OK_BYTES) monitor.sendNow()
    this.#fresh.clear()
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\x07': '\\a',
  '\b': '\\b',
}

function escaped(text: string): string {
  return text.replace(/[^ !#-[\]-~]/g, c => ESCAPES[c] ?? `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)
}
