// What a running script asks for: commands, and the services of the `redis` table. Each request lies in the wire buffer
// as RESP, the answer is written into the reply buffer as RESP. Used by: script-host.
//
// Invariants: (1) nothing is thrown across this edge; (2) a command runs here as it would for a client, through the
// executor, inside the record of the script.

import { createHash } from 'node:crypto'
import { ReplyError, replyErrors } from '../base/errors.js'
import type { Log } from '../base/log.js'
import { logDenial } from '../commands/acl-log.js'
import { Denied } from '../commands/acl-selector.js'
import { ScriptFlag } from '../commands/scripts.js'
import type { LibraryFunction } from '../commands/scripts.js'
import type { Server } from '../commands/server.js'
import { Flag } from '../commands/spec.js'
import type { CommandTable, TableRow } from '../commands/table.js'
import { Service, Verdict } from '../native/lua.js'
import type { LuaState } from '../native/lua.js'
import { Request } from '../resp/request.js'
import { parseOne } from '../resp/request-parser.js'
import type { ClientReply } from './client-reply.js'
import { LOADING } from './admission.js'
import { flagOf } from './script-shebang.js'
import type { ClientSession } from './session.js'

/** What the calls need of the executor. */
export interface CallHost {
  readonly outOfMemory: boolean
  /** Why writes are refused at present, or undefined. */
  readonly writeFault: string | undefined
  readonly loading: boolean
  readonly server: Server
  readonly table: CommandTable
  readonly log: Log | undefined
  callInside(row: TableRow, session: ClientSession, request: Request): void
  /** Counts a command that was refused. */
  rejected(row: TableRow): void
  /** The script has been running for longer than busy-reply-threshold; asked again and again. */
  busy(): number
}

/** The script that runs. */
export interface CallRules {
  /** Flags of the script; undefined for one without a shebang. */
  readonly flags: number | undefined
  readonly readOnly: boolean
  /** Memory was short when it began. */
  readonly outOfMemory: boolean
}

export interface Registered extends LibraryFunction {
  readonly kind: 'function'
  readonly reference: number
}

const UNKNOWN = 'ERR Unknown Redis command called from script'
const WRONG_ARITY = 'ERR Wrong number of args calling Redis command from script'
const NOT_ALLOWED = 'ERR This Redis command is not allowed from script'
const READ_ONLY = 'ERR Write commands are not allowed from read-only scripts.'
const OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'."
const INVALID_CHECK = 'ERR Invalid command passed to redis.acl_check_cmd()'

const DENIED_TO_SCRIPT: Record<number, string> = {
  [Denied.Command]: "ERR The user executing the script can't run this command or subcommand",
  [Denied.Key]:
    "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments",
  [Denied.Channel]: "ERR The user executing the script can't publish to the channel mentioned in the command",
}

/** What a request is written into once it was larger than this, so that one huge call is not paid for ever. */
const ARGS_KEPT = 4096

export class ScriptCalls {
  /** Set for the time of a run. */
  rules: CallRules = { flags: undefined, readOnly: false, outOfMemory: false }
  /** See Scripts. */
  mayCallAll = false
  /** A write command was called since the run began. */
  wrote = false
  /** Takes what a library registers while it is loaded. @throws ReplyError */
  register: ((one: Registered) => void) | undefined

  readonly session: ClientSession
  /** The client that runs the script; its rules are the script's. */
  #caller: ClientSession | undefined
  readonly #host: CallHost
  readonly #request = new Request()
  readonly #reply: ClientReply
  /** Keeps a reply that did not fit alive while it is read. */
  #large: Buffer | undefined
  #state!: LuaState

  constructor(host: CallHost, session: ClientSession) {
    this.#host = host
    this.session = session
    this.#reply = session.reply
  }

  /** A run begins. */
  set caller(caller: ClientSession) {
    this.#caller = caller
    this.session.account = caller.account
  }

  attach(state: LuaState): void {
    this.#state = state
  }

  /** See native/lua Serve. */
  serve(service: number, used: number): number | Buffer {
    if (service === Service.Busy) return this.#busy()
    const reply = this.#reply
    reply.restartIn(this.#state.reply)
    try {
      parseOne(this.#state.wire, 0, this.#request, used)
      if (service === Service.Command) this.#command()
      else this.#serve(service)
    } catch (error) {
      reply.restartIn(this.#state.reply)
      if (error instanceof ReplyError) reply.error(error.message)
      else reply.error(`ERR internal error: ${error instanceof Error ? error.message : String(error)}`)
    }
    const bytes = reply.contiguousBytes
    if (bytes > 0) return bytes
    if (bytes === 0) {
      // The server is stopping over a defect: what the script gets no longer matters, but it must be a reply.
      reply.error('ERR internal error')
      return reply.contiguousBytes
    }
    this.#large = Buffer.concat(reply.take())
    return this.#large
  }

  /** After a run: forgets what was large. */
  tidy(): void {
    this.#large = undefined
    const { starts, lengths } = this.#request
    if (starts.length > ARGS_KEPT) starts.length = lengths.length = 0
  }

  #busy(): number {
    try {
      return this.#host.busy()
    } catch {
      return Verdict.Kill
    }
  }

  #command(): void {
    const request = this.#request
    const row = this.#host.table.lookup(request)
    const refusal = this.#refusal(row)
    if (refusal !== undefined) {
      if (row !== undefined) this.#host.rejected(row)
      this.#reply.error(refusal)
      return
    }
    if ((row!.flags & Flag.Write) !== 0) this.wrote = true
    this.#host.callInside(row!, this.session, request)
  }

  #refusal(row: TableRow | undefined): string | undefined {
    const host = this.#host
    const rules = this.rules
    if (row === undefined || (row.flags & Flag.Internal) !== 0) return UNKNOWN
    if (!row.takes(this.#request.argc)) return WRONG_ARITY
    const flags = row.flags
    if ((flags & Flag.NoScript) !== 0 && !this.mayCallAll) return NOT_ALLOWED
    const denied = this.#denied(row)
    if (denied !== undefined) return denied
    if (host.loading && (flags & Flag.Loading) === 0) return LOADING
    if ((flags & Flag.Write) !== 0) {
      if (rules.readOnly) return READ_ONLY
      const fault = host.writeFault
      if (fault !== undefined) return fault
    } else if (rules.readOnly && (flags & Flag.MayReplicate) !== 0) return READ_ONLY
    // What has begun to write may finish, so that nothing is left half done.
    const mayGrow = !rules.outOfMemory || this.wrote || ((rules.flags ?? 0) & ScriptFlag.AllowOom) !== 0
    if (!mayGrow && (flags & Flag.DenyOom) !== 0) return OUT_OF_MEMORY
    return undefined
  }

  #denied(row: TableRow): string | undefined {
    const { account } = this.session
    if (account.unrestricted) return undefined
    const request = this.#request
    const denial = account.check(row, request)
    if (denial === undefined) return undefined
    const what = { denial, row, request, username: account.name }
    logDenial(this.#host.server, this.#caller ?? this.session, 'lua', what)
    return DENIED_TO_SCRIPT[denial.reason]
  }

  #serve(service: number): void {
    const request = this.#request
    const reply = this.#reply
    switch (service) {
      case Service.Sha1:
        reply.latin1(createHash('sha1').update(request.bytes(0)).digest('hex'))
        return
      case Service.Log:
        this.#log(request.text(0), request.text(1))
        reply.ok()
        return
      case Service.Protocol:
        this.session.protocol = request.text(0) === '3' ? 3 : 2
        reply.ok()
        return
      case Service.AclCheck:
        this.#checkAcl()
        return
      case Service.Register:
        this.#register()
        return
      default:
        throw new ReplyError(replyErrors.syntax)
    }
  }

  #log(level: string, text: string): void {
    const log = this.#host.log
    if (level === '3') log?.warning(text)
    else if (level === '2') log?.notice(text)
    else log?.debug(text)
  }

  /** Whether the script may call the command; nothing is noted in ACL LOG. */
  #checkAcl(): void {
    const row = this.#host.table.lookup(this.#request)
    if (row === undefined || (row.flags & Flag.Internal) !== 0) throw new ReplyError(INVALID_CHECK)
    if (this.session.account.check(row, this.#request) === undefined) this.#reply.integer(1)
    else this.#reply.nullBulk()
  }

  #register(): void {
    const request = this.#request
    let flags = 0
    for (let i = 4; i < request.argc; i++) {
      const flag = flagOf(request.text(i))
      if (flag === undefined) throw new ReplyError('ERR unknown flag given')
      flags |= flag
    }
    const name = request.text(0)
    const description = request.text(2) === '1' ? request.text(3) : undefined
    this.register?.({ kind: 'function', name, reference: Number(request.text(1)), description, flags })
    this.#reply.ok()
  }
}
