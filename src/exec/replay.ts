// Runs the journal's effects again after a start: each is a command, looked up in the same table, run with the clock of
// its record, with nobody waiting and replies going nowhere. What was journaled succeeded once, so a command that is
// unknown or fails now means a journal this version cannot read, and the start is refused.

import { CorruptionError, ReplyError } from '../base/errors.js'
import { Args } from '../commands/args.js'
import { STAGE_COMMAND, STAGED_COMMAND } from '../commands/staged.js'
import type { CommandTable } from '../commands/table.js'
import { Request } from '../resp/request.js'
import type { Keyspace } from '../types/keyspace.js'
import type { ExecContext } from './context.js'
import type { ClientSession } from './session.js'
import { SinkReply } from './sink-reply.js'
import { StagedArguments } from './staged-arguments.js'

export interface ReplayRecord {
  readonly sequence: number
  readonly nowMs: number
  readonly effects: readonly { readonly database: number; readonly bytes: Buffer }[]
}

export class Replay {
  readonly #context: ExecContext
  readonly #table: CommandTable
  readonly #keyspace: Keyspace
  readonly #session: ClientSession
  readonly #reply = new SinkReply()
  readonly #request = new Request()
  readonly #staged = new StagedArguments()
  /** Effects run so far. */
  effects = 0

  /** @param session an internal one; it belongs to the replay until end() */
  constructor(context: ExecContext, table: CommandTable, keyspace: Keyspace, session: ClientSession) {
    this.#context = context
    this.#table = table
    this.#keyspace = keyspace
    this.#session = session
    context.replaying = true
    keyspace.replaying = true
  }

  /** @throws CorruptionError naming the record */
  run(record: ReplayRecord): void {
    this.#context.nowMs = record.nowMs
    this.#keyspace.nowMs = record.nowMs
    for (const { database, bytes } of record.effects) this.#runEffect(record.sequence, database, bytes)
  }

  /** Back to ordinary work. */
  end(): void {
    this.#context.replaying = false
    this.#keyspace.replaying = false
  }

  #runEffect(sequence: number, database: number, bytes: Buffer): void {
    const request = this.#request
    if (!viewCommand(request, bytes)) throw refused(sequence, 'is not a command')
    if (request.is(0, STAGE_COMMAND)) {
      if (!this.#staged.take(request)) throw refused(sequence, 'goes on with bytes that did not begin')
      return
    }
    if (!request.is(0, STAGED_COMMAND)) return this.#run(sequence, database, request)
    const command = this.#staged.command(request)
    if (command === undefined) throw refused(sequence, 'refers to bytes that did not come before')
    this.#run(sequence, database, command)
  }

  #run(sequence: number, database: number, request: Request): void {
    if (database >= this.#keyspace.databases.length) throw refused(sequence, `is for database ${database}`)
    const row = this.#table.lookup(request)
    if (row === undefined) throw refused(sequence, `holds a command this version does not know: ${request.text(0)}`)
    if (!row.takes(request.argc)) throw refused(sequence, `holds a ${row.name} of ${request.argc} arguments`)
    const context = this.#context
    context.session = this.#session
    context.reply = this.#reply
    context.db = this.#keyspace.database(database)
    context.request = request
    context.mayBlock = false
    this.#session.databaseIndex = database
    this.#reply.clear()
    context.begin()
    try {
      row.spec.run(context, row.spec.parse(new Args(request, row.argsAt, context.db)))
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error
      this.#reply.error(error.message)
    }
    if (this.#reply.failure !== undefined) {
      throw refused(sequence, `(${row.name}) cannot be done again: ${this.#reply.failure}`)
    }
    context.settle(false)
    this.effects++
  }
}

function refused(sequence: number, what: string): CorruptionError {
  return new CorruptionError(
    `Journal record ${sequence} ${what}. The journal was written by another version, or data and journal do not ` +
      'belong together.',
  )
}

/** Makes `request` a view of one complete RESP array of bulk strings; false when `bytes` is not exactly that. */
export function viewCommand(request: Request, bytes: Buffer): boolean {
  let at = 0
  const number = (mark: number): number => {
    if (bytes[at] !== mark) return -1
    let value = 0
    let digits = 0
    for (at++; bytes[at] >= 48 && bytes[at] <= 57; at++, digits++) value = value * 10 + bytes[at] - 48
    if (digits === 0 || bytes[at] !== 13 || bytes[at + 1] !== 10) return -1
    at += 2
    return value
  }
  const argc = number(42)
  if (argc < 1) return false
  for (let i = 0; i < argc; i++) {
    const length = number(36)
    if (length < 0 || at + length + 2 > bytes.length) return false
    request.starts[i] = at
    request.lengths[i] = length
    at += length + 2
  }
  if (at !== bytes.length) return false
  request.buffer = bytes
  request.from = 0
  request.to = at
  request.argc = argc
  return true
}
