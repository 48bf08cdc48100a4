// A CommandContext for tests of commands: a real keyspace over rows in memory, a real reply writer, a clock that stands
// still. What a command did beside its reply is kept in lists.

import { FakeClock } from '../../src/base/clock.js'
import { Config } from '../../src/base/config.js'
import { ReplyError } from '../../src/base/errors.js'
import { formatId } from '../../src/base/stream-id.js'
import type { StreamId } from '../../src/base/stream-id.js'
import { Args } from '../../src/commands/args.js'
import type { CommandContext, Transaction, Wait } from '../../src/commands/context.js'
import type { Server, Session } from '../../src/commands/server.js'
import type { CommandSpec } from '../../src/commands/spec.js'
import { CommandTable } from '../../src/commands/table.js'
import { requestOf } from '../../src/resp/request.js'
import type { LongReply } from '../../src/commands/long-reply.js'
import type { Request } from '../../src/resp/request.js'
import { ReplyWriter } from '../../src/resp/reply-writer.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { Keyspace } from '../../src/types/keyspace.js'
import type { Database } from '../../src/types/keyspace.js'

export type FakeArgument = Buffer | string | number | bigint

export class FakeContext implements CommandContext {
  readonly clock = new FakeClock(1_700_000_000_000)
  readonly rows = new MemoryRows()
  readonly config = new Config()
  readonly keyspace = new Keyspace({ rows: this.rows, databases: 16, clock: this.clock })
  readonly reply = new ReplyWriter()
  readonly session = { databaseIndex: 0, protocol: 2, account: { name: 'default', unrestricted: true } } as Session
  readonly server = { clock: this.clock, config: this.config, keyspace: this.keyspace } as unknown as Server
  readonly transaction = {} as Transaction
  readonly table: CommandTable
  request: Request = requestOf(['PING'])
  replaying = false
  mayBlock = true
  mayStream = false

  /** What the journal would hold of the last command: one text per effect, '<database>:' before it unless that is 0. */
  effects: string[] = []
  /** Keys that the last command touched, '*' for a whole database. */
  touches: string[] = []
  /** '<event> <key>' of the last command. */
  notices: string[] = []
  /** Set when the last command waits. */
  wait: Wait | undefined

  #changed = false
  #silent = false

  constructor(commands: readonly CommandSpec<never>[]) {
    this.table = new CommandTable(commands)
  }

  /** What a client that takes everything at once receives. */
  stream(rest: LongReply): void {
    while (rest.write(this.reply)) continue
    rest.close()
  }

  get db(): Database {
    return this.keyspace.database(this.session.databaseIndex)
  }

  get nowMs(): number {
    return this.clock.nowMs()
  }

  /** Runs a command and returns its reply's bytes as latin1 text; '' when it waits. */
  ask(...args: readonly FakeArgument[]): string {
    this.#begin(requestOf(args))
    const row = this.table.lookup(this.request)
    if (row === undefined) this.reply.error(this.table.unknownText(this.request))
    else if (!row.takes(args.length)) this.reply.error(`ERR wrong number of arguments for '${row.name}' command`)
    else {
      this.#answering(() => row.spec.run(this, row.spec.parse(new Args(this.request, row.argsAt)) as never))
    }
    if (this.#changed && this.effects.length === 0 && !this.#silent) this.effects.push(wordsOf(this.request))
    return this.#taken()
  }

  /** Lets `wait` look at `key`; the reply's bytes, or undefined when it goes on waiting. */
  serve(wait: Wait, key: string): string | undefined {
    this.#begin(requestOf(['WAKE-UP']))
    let served = false
    this.#answering(() => {
      served = wait.serve(this, key)
    })
    const text = this.#taken()
    return served ? text : undefined
  }

  #begin(request: Request): void {
    this.request = request
    this.reply.protocol = this.session.protocol
    this.keyspace.nowMs = this.clock.nowMs()
    this.effects = []
    this.touches = []
    this.notices = []
    this.wait = undefined
    this.#changed = false
    this.#silent = false
  }

  #answering(run: () => void): void {
    const start = this.reply.position
    try {
      run()
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error
      this.reply.truncate(start)
      this.reply.error(error.message)
    }
  }

  #taken(): string {
    return Buffer.concat(this.reply.take()).toString('latin1')
  }

  changed(): void {
    this.#changed = true
  }
  effect(...args: FakeArgument[]): void {
    this.effectIn(this.session.databaseIndex, ...args)
  }
  effectIn(database: number, ...args: FakeArgument[]): void {
    this.#changed = true
    this.effects.push((database === 0 ? '' : `${database}:`) + textOf(args))
  }
  effectSpliced(argFrom: number, argTo: number, ...args: (Buffer | string | number)[]): void {
    if (args.length !== argTo - argFrom) throw new Error('effectSpliced keeps the number of arguments')
    const words: FakeArgument[] = []
    for (let i = 0; i < this.request.argc; i++) words.push(this.request.text(i))
    words.splice(argFrom, args.length, ...args)
    this.effect(...words)
  }
  effectWithId(index: number, id: StreamId): void {
    this.effectSpliced(index, index + 1, formatId(id))
  }
  noEffect(): void {
    this.#silent = true
  }
  touched(key: string): void {
    this.touches.push(key)
  }
  wake(key: string): void {
    this.touches.push(`wake ${key}`)
  }
  touchedAll(): void {
    this.touches.push('*')
  }
  flushed(): void {}
  notify(_kind: string, event: string, key: string): void {
    this.notices.push(`${event} ${key}`)
  }
  block(wait: Wait): void {
    this.wait = wait
  }
}

function wordsOf(request: Request): string {
  const words: string[] = []
  for (let i = 0; i < request.argc; i++) words.push(request.text(i))
  return textOf(words)
}

function textOf(args: readonly FakeArgument[]): string {
  return args.map(arg => (Buffer.isBuffer(arg) ? arg.toString('latin1') : String(arg))).join(' ')
}
