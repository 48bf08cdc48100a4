// Runs scripts and functions: finds or compiles the code, decides whether it may run, runs it inside the running
// command and writes what it returned. Everything a script does is one journal record, under one frozen clock, and
// nobody is served in between.
//
// The interpreter is opened at the first need, so that servers without scripts do not pay for it.

import { createHash } from 'node:crypto'
import { ReplyError } from '../base/errors.js'
import type { Log } from '../base/log.js'
import type { CommandContext } from '../commands/context.js'
import { humanBytes } from '../commands/memory-figures.js'
import { ScriptFlag } from '../commands/scripts.js'
import type { Library, RunningScript, Scripts } from '../commands/scripts.js'
import type { Server } from '../commands/server.js'
import { Flag } from '../commands/spec.js'
import type { CommandTable, TableRow } from '../commands/table.js'
import { LuaState, Verdict } from '../native/lua.js'
import type { LuaFailure } from '../native/lua.js'
import { BY_REFERENCE_BYTES } from '../resp/output-pieces.js'
import type { Request } from '../resp/request.js'
import type { Clock } from '../base/clock.js'
import type { BusyClients } from './busy-clients.js'
import type { ExecContext } from './context.js'
import { FunctionLibraries } from './function-libraries.js'
import { ScriptCalls } from './script-calls.js'
import type { CallHost } from './script-calls.js'
import { scriptSession } from './script-session.js'
import { readScriptHead } from './script-shebang.js'
import type { ClientSession, SessionHost } from './session.js'
import type { ServerStats } from './stats.js'

/** What the host needs of the executor. */
export interface ScriptExecutor extends SessionHost {
  readonly server: Server
  readonly context: ExecContext
  readonly outOfMemory: boolean
  readonly loading: boolean
  readonly busyClients: BusyClients
  callInside(row: TableRow, session: ClientSession, request: Request): void
}

export interface ScriptParts {
  readonly executor: ScriptExecutor
  readonly table: CommandTable
  readonly stats: ServerStats
  readonly log: Log | undefined
  /** Why writes are refused at present, or undefined. */
  readonly writeFault: () => string | undefined
  readonly clock: Clock
  /** Scripts have getfenv, setfenv and newproxy. */
  readonly deprecatedApi: boolean
  /** Brings what other clients have sent to the executor, without the event loop. */
  readonly lookNow: () => void
}

/** Bound of all that Lua holds. A script that wants more gets "not enough memory". */
const LUA_BYTES_MAX = 1024 * 1024 * 1024
/** Arguments of EVAL and FCALL in front of the keys: name, script, number of keys. */
const LEADING_ARGUMENTS = 3
const NO_SCRIPT = 'NOSCRIPT No matching script. Please use EVAL.'
const NO_LUA = 'ERR scripts need the native addon, which is not there: run "npm install" where the server is installed'
const WRITES_BY_RO = 'ERR Can not execute a script with write flag using *_ro command.'
const OUT_OF_MEMORY = "OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'"
const NOT_BUSY = 'NOTBUSY No scripts in execution right now.'
const BUSY_SCRIPT = 'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.'
const BUSY_FUNCTION = 'BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.'
const UNKILLABLE =
  'UNKILLABLE Sorry the script already executed write commands against the dataset. You can either wait the script ' +
  'termination or kill the server in a hard way using the SHUTDOWN NOSAVE command.'

/** What runs: a script, or a function of a library. */
interface Code {
  readonly kind: 'script' | 'function'
  readonly name: string
  readonly reference: number
  /** Undefined for a script without a shebang. */
  readonly flags: number | undefined
}

/** The run under way. */
interface Run {
  readonly code: Code
  readonly client: ClientSession
  readonly request: Request
  readonly startedUs: number
  /** Monotonic reading of the last look at other clients; 0 before the first. */
  lookedUs: number
  killed: boolean
}

export class ScriptHost implements Scripts {
  readonly #parts: ScriptParts
  readonly #calls: ScriptCalls
  readonly #libraries: FunctionLibraries
  readonly #bySha = new Map<string, Code>()
  readonly #bySource = new Map<string, Code>()
  #state: LuaState | undefined
  #thresholdMs = 0
  #run: Run | undefined

  constructor(parts: ScriptParts) {
    this.#parts = parts
    const { executor } = parts
    const host: CallHost = {
      server: executor.server,
      table: parts.table,
      log: parts.log,
      get outOfMemory() {
        return executor.outOfMemory
      },
      get writeFault() {
        return parts.writeFault()
      },
      get loading() {
        return executor.loading
      },
      callInside: (row, session, request) => executor.callInside(row, session, request),
      rejected: row => parts.stats.of(row.index, row.name).rejectedCalls++,
      busy: () => this.#busy(),
    }
    this.#calls = new ScriptCalls(host, scriptSession(executor))
    this.#libraries = new FunctionLibraries(this.#calls)
  }

  /** busy-reply-threshold. */
  set thresholdMs(ms: number) {
    this.#thresholdMs = ms
    if (this.#state !== undefined) this.#state.thresholdMs = ms
  }

  // --- scripts

  evaluate(ctx: CommandContext, keys: number, readOnly: boolean): void {
    const { request } = ctx
    const source = request.text(1)
    const script = this.#bySource.get(source) ?? this.#compile(source, request.bytes(1))
    this.#start(ctx, script, keys, readOnly)
  }

  evaluateSha(ctx: CommandContext, keys: number, readOnly: boolean): void {
    const sha = ctx.request.text(1)
    const script = this.#bySha.get(sha) ?? this.#bySha.get(sha.toLowerCase())
    if (script === undefined) throw new ReplyError(NO_SCRIPT)
    this.#start(ctx, script, keys, readOnly)
  }

  load(source: Buffer): string {
    const text = source.latin1Slice()
    return (this.#bySource.get(text) ?? this.#compile(text, source)).name
  }

  knows(sha: string): boolean {
    return this.#bySha.has(sha.toLowerCase())
  }

  flush(): void {
    for (const { reference } of this.#bySha.values()) this.#state!.drop(reference)
    this.#bySha.clear()
    this.#bySource.clear()
    this.#state?.collect()
  }

  get scriptCount(): number {
    return this.#bySha.size
  }

  get memoryBytes(): number {
    return this.#state?.bytes ?? 0
  }

  /** Fields of INFO by Redis' name. */
  infoFields(): Record<string, string | number> {
    const bytes = this.memoryBytes
    const libraries = this.#libraries.all
    return {
      used_memory_lua: bytes,
      used_memory_lua_human: humanBytes(bytes),
      used_memory_vm_eval: bytes,
      used_memory_vm_total: bytes,
      used_memory_vm_total_human: humanBytes(bytes),
      number_of_cached_scripts: this.#bySha.size,
      number_of_libraries: libraries.length,
      number_of_functions: libraries.reduce((sum, { functions }) => sum + functions.length, 0),
    }
  }

  #compile(source: string, bytes: Buffer): Code {
    const head = readScriptHead(source)
    const reference = this.#open().compile(bytes.subarray(head.codeAt), 'script')
    if (typeof reference === 'string') {
      throw new ReplyError(`ERR Error compiling script (new function): ${reference}`)
    }
    const sha = createHash('sha1').update(bytes).digest('hex')
    const script: Code = { kind: 'script', name: sha, reference, flags: head.flags }
    this.#bySha.set(sha, script)
    this.#bySource.set(source, script)
    return script
  }

  // --- functions

  call(ctx: CommandContext, keys: number, readOnly: boolean): void {
    this.#adopt(ctx)
    const found = this.#libraries.find(ctx.request.text(1))
    if (found === undefined) throw new ReplyError('ERR Function not found')
    this.#start(ctx, found, keys, readOnly)
  }

  loadLibrary(ctx: CommandContext, code: Buffer, replace: boolean): string {
    this.#libraries.adopt(ctx.keyspace.libraries, this.#open())
    return this.#libraries.load(code, replace)
  }

  deleteLibrary(ctx: CommandContext, name: string): void {
    this.#adopt(ctx)
    this.#libraries.delete(name)
  }

  flushLibraries(ctx: CommandContext): void {
    this.#libraries.flush(ctx.keyspace.libraries)
    this.#state?.collect()
  }

  restoreLibraries(ctx: CommandContext, codes: readonly Buffer[], policy: 'flush' | 'append' | 'replace'): void {
    this.#libraries.adopt(ctx.keyspace.libraries, this.#open())
    this.#libraries.restore(codes, policy)
  }

  libraries(ctx: CommandContext): readonly Library[] {
    this.#adopt(ctx)
    return this.#libraries.all
  }

  /** Loads what the store holds, at the first need after a start. */
  #adopt(ctx: CommandContext): void {
    const kept = ctx.keyspace.libraries
    if (!this.#libraries.isLoaded(kept)) this.#libraries.adopt(kept, this.#open())
  }

  /** See Scripts. What has no flags of its own, or is not known, is checked when it runs. */
  commandFlags(row: TableRow, request: Request): number {
    const own = this.#announced(row.name, request.argc > 1 ? request.text(1) : '')
    if (own === undefined) return row.flags
    return (row.flags & ~(Flag.Write | Flag.MayReplicate)) | ((own & ScriptFlag.NoWrites) === 0 ? Flag.Write : 0)
  }

  #announced(command: string, argument: string): number | undefined {
    if (command.startsWith('fcall')) return this.#libraries.find(argument)?.flags
    if (command.startsWith('evalsha')) return this.#bySha.get(argument.toLowerCase())?.flags
    try {
      return readScriptHead(argument).flags
    } catch (error) {
      if (error instanceof ReplyError) return undefined
      throw error
    }
  }

  // --- running

  #open(): LuaState {
    if (this.#state !== undefined) return this.#state
    const serve = (service: number, used: number) => this.#calls.serve(service, used)
    const state = LuaState.open(serve, LUA_BYTES_MAX, this.#parts.deprecatedApi)
    if (state === undefined) throw new ReplyError(NO_LUA)
    this.#calls.attach(state)
    state.thresholdMs = this.#thresholdMs
    this.#state = state
    return state
  }

  #start(ctx: CommandContext, code: Code, keys: number, readOnly: boolean): void {
    // Only where scripts may call everything: there is one interpreter.
    if (this.#run !== undefined) throw new ReplyError('ERR a script cannot run inside another')
    const { flags } = code
    const { executor } = this.#parts
    const outOfMemory = executor.outOfMemory
    if (flags !== undefined && (flags & ScriptFlag.NoWrites) === 0) {
      const fault = this.#parts.writeFault()
      if (fault !== undefined) throw new ReplyError(fault)
      if (readOnly) throw new ReplyError(WRITES_BY_RO)
      if (outOfMemory && (flags & ScriptFlag.AllowOom) === 0) throw new ReplyError(OUT_OF_MEMORY)
    }
    this.#calls.rules = {
      flags,
      readOnly: readOnly || (flags !== undefined && (flags & ScriptFlag.NoWrites) !== 0),
      outOfMemory,
    }
    this.#calls.wrote = false
    const errors = this.#parts.stats.totalErrorReplies
    const result = this.#runInside(executor.context, code, keys)
    const failed = typeof result !== 'number' && result.counted
    if (!failed) executor.context.caughtErrors += this.#parts.stats.totalErrorReplies - errors
    if (typeof result !== 'number') this.#fail(ctx, code, result)
    else this.#answer(ctx, result)
  }

  /** Runs the code in the script's session and brings back the caller's context. */
  #runInside(context: ExecContext, code: Code, keys: number): number | LuaFailure {
    const { session, reply, request, db, mayBlock } = context
    const script = this.#calls.session
    script.databaseIndex = db.index
    script.protocol = 2
    this.#calls.caller = session
    context.session = script
    context.reply = script.reply
    context.mayBlock = false
    context.enterGroup()
    const startedUs = this.#parts.clock.monotonicUs()
    this.#run = { code, client: session, request, startedUs, lookedUs: 0, killed: false }
    script.runner = this.#run
    const { buffer, from, to } = request
    const result = this.#state!.run(
      code.reference,
      code.kind,
      buffer,
      from,
      to,
      LEADING_ARGUMENTS,
      keys,
      reply.protocol,
    )
    this.#run = undefined
    script.runner = undefined
    context.leaveGroup()
    context.session = session
    context.reply = reply
    context.request = request
    context.db = db
    context.mayBlock = mayBlock
    // What the commands of the script did is recorded; EVAL itself did nothing.
    context.begin()
    this.#calls.tidy()
    return result
  }

  #answer(ctx: CommandContext, bytes: number): void {
    const { wire } = this.#state!
    if (bytes < BY_REFERENCE_BYTES) ctx.reply.wire(wire, 0, bytes)
    // Long bytes go by reference, and the wire is written again by the next script.
    else ctx.reply.wire(Buffer.from(wire.subarray(0, bytes)), 0, bytes)
  }

  #fail(ctx: CommandContext, code: Code, { text, place, counted, returned }: LuaFailure): void {
    const where = place === '' ? '' : `, on ${place}`
    const message = returned ? text : `${text} script: ${code.name}${where}.`
    if (!counted) throw new ReplyError(message)
    // Its command's error was counted when it happened, and an error counts once.
    const line = Buffer.from(`-${message.replace(/[\r\n]/g, ' ')}\r\n`, 'latin1')
    ctx.reply.wire(line, 0, line.length)
  }

  get mayCallAll(): boolean {
    return this.#calls.mayCallAll
  }
  set mayCallAll(all: boolean) {
    this.#calls.mayCallAll = all
  }

  // --- scripts that run on and on

  get running(): RunningScript | undefined {
    const run = this.#run
    // Nobody can ask before others are heard.
    if (run === undefined || run.lookedUs === 0) return undefined
    const { code, request } = run
    const command: Buffer[] = []
    for (let i = 0; i < request.argc; i++) command.push(request.copy(i))
    const durationMs = Math.floor((this.#parts.clock.monotonicUs() - run.startedUs) / 1000)
    return { kind: code.kind, name: code.name, command, durationMs }
  }

  kill(kind: 'script' | 'function'): void {
    const run = this.#run
    if (run === undefined) throw new ReplyError(NOT_BUSY)
    if (run.code.kind !== kind) throw new ReplyError(busyText(run.code))
    if (this.#calls.wrote) throw new ReplyError(UNKILLABLE)
    run.killed = true
  }

  /**
   * Ends the running script whatever it has done, because the server ends. Returns whether it had written, so that the
   * data are worthless now.
   */
  end(): boolean {
    if (this.#run !== undefined) this.#run.killed = true
    return this.#calls.wrote
  }

  /** What others are answered while a script keeps them waiting; undefined when none does. */
  get busyText(): string | undefined {
    return this.#run === undefined || this.#run.lookedUs === 0 ? undefined : busyText(this.#run.code)
  }

  /** Called by the interrupted interpreter, again and again. */
  #busy(): number {
    const run = this.#run
    if (run === undefined) return Verdict.TimeOut // a library that is being loaded
    if (!run.killed) this.#lookAround(run)
    return run.killed ? Verdict.Kill : Verdict.GoOn
  }

  #lookAround(run: Run): void {
    const { clock, executor, log, lookNow } = this.#parts
    const nowUs = clock.monotonicUs()
    if (run.lookedUs === 0) {
      const ms = Math.floor((nowUs - run.startedUs) / 1000)
      log?.warning(
        `Slow ${run.code.kind} detected: still in execution after ${ms} milliseconds. You can try killing it with ` +
          `${run.code.kind.toUpperCase()} KILL. Its name is: ${run.code.name}`,
      )
    }
    run.lookedUs = nowUs
    executor.busyClients.hear(run.client, busyText(run.code), lookNow)
  }
}

function busyText({ kind }: Code): string {
  return kind === 'script' ? BUSY_SCRIPT : BUSY_FUNCTION
}
