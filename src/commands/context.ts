// What a command may see and do beside its own options. Interfaces only: exec/ implements them, server.ts joins the
// two.

import type { StreamId } from '../base/stream-id.js'
import type { LargeArgument } from '../resp/large-argument.js'
import type { Reply } from '../resp/reply.js'
import type { Request } from '../resp/request.js'
import type { Database, Keyspace } from '../types/keyspace.js'
import type { LongReply } from './long-reply.js'
import type { Server, Session } from './server.js'

export interface CommandContext {
  /** The command as received; valid until run() returns. */
  readonly request: Request
  readonly reply: Reply
  readonly session: Session
  readonly server: Server
  readonly keyspace: Keyspace
  /** The session's selected database. */
  readonly db: Database
  /** Unix ms, frozen for the command (for the whole transaction or script). At replay: that of the record. */
  readonly nowMs: number
  /** True while the journal is replayed: no expiry, no waiting, no effects, replies go nowhere. */
  readonly replaying: boolean
  /** False inside MULTI and scripts and at replay: then a command that would wait answers as if its time were up. */
  readonly mayBlock: boolean

  /**
   * Something changed (Redis' `dirty`). When the command ends and it named no effect of its own, its request is
   * journaled as it came. A write command that changed nothing calls nothing and leaves no trace in the journal.
   */
  changed(count?: number): void
  /**
   * Journals this command (latin1 strings, bytes, numbers) in place of the request; may be called several times.
   * Implies changed().
   */
  effect(...args: (Buffer | string | number | bigint | LargeArgument)[]): void
  /** As effect(), in another database than the selected one. */
  effectIn(database: number, ...args: (Buffer | string | number | bigint)[]): void
  /**
   * Journals the request with arguments [argFrom, argTo) replaced by the same number of arguments; without building
   * the rest again. For XADD, whose '*' becomes an ID and whose trim becomes exact.
   */
  effectSpliced(argFrom: number, argTo: number, ...args: (Buffer | string | number)[]): void
  /** As effectSpliced() of argument `index` alone, in whose place the ID is written. */
  effectWithId(index: number, id: StreamId): void
  /** Nothing is journaled although changed() was called: state that may be lost by a crash (statistics). */
  noEffect(): void

  /** The key's value changed, appeared or went: wakes WATCH and the blocked. `db` defaults to the selected one. */
  touched(key: string, db?: Database): void
  /**
   * The whole database changed hands or went (FLUSHDB, FLUSHALL, SWAPDB): as touched() for every key of it that
   * somebody waits on or watches, present or not. Called after the change.
   */
  touchedAll(db: Database): void
  /** The value is what it was, but somebody who waits for `key` may find what it waits for: wakes the blocked only. */
  wake(key: string): void
  /** Databases were emptied, or would have been: clients that cache keys forget them all. */
  flushed(): void
  /** Keyspace notification; `kind` is one letter of notify-keyspace-events ('t' stream, 'g' generic, '$' string …). */
  notify(kind: string, event: string, key: string, db?: Database): void

  /** MULTI and its like, for the running session. */
  readonly transaction: Transaction

  /**
   * Parks the client: no reply is written now. Only when mayBlock. All that `wait` holds must be its own copy.
   */
  block(wait: Wait): void

  /** False where a reply must be whole when the command ends: inside MULTI and scripts, at replay, for the blocked. */
  readonly mayStream: boolean
  /**
   * Leaves the rest of the reply to `rest`, which writes it as the client takes it; the last thing a command does. Only
   * when mayStream.
   */
  stream(rest: LongReply): void
}

/** What the transaction commands do. Each throws ReplyError with Redis' text when it is not the time for it. */
export interface Transaction {
  begin(): void
  /** Forgets the queued commands and everything watched. */
  discard(): void
  /** Runs the queued commands and writes the whole reply. */
  exec(): void
  /** Watches keys of the selected database. */
  watch(keys: readonly string[]): void
  unwatch(): void
}

/** A command that waits for keys. */
export interface Wait {
  readonly keys: readonly string[]
  /** Milliseconds, 0 = for ever. */
  readonly timeoutMs: number
  /** 'stream' | 'list' | 'zset' … for CLIENT LIST and statistics. */
  readonly kind: string
  /**
   * What it takes is gone for those behind it: when one such finds nothing at a key, others of its kind are not asked.
   * False when undefined.
   */
  readonly exclusive?: boolean
  /**
   * Called after a command (transaction, script) that touched `key`, first come first served, also when the key was
   * removed or replaced by another type. Writes the reply (an error too) and returns true, or changes nothing and
   * returns false to go on waiting. `ctx.db`, `ctx.session` and `ctx.reply` are those of the waiting client.
   */
  serve(ctx: CommandContext, key: string): boolean
  /**
   * Milliseconds from now after which serve() is to be called although nothing touched a key; undefined for never.
   * Asked for when the wait begins and after every serve() that returned false.
   */
  readonly retryMs?: number
  /** Writes the reply of a time-out, also for CLIENT UNBLOCK without ERROR. */
  onTimeout(reply: Reply): void
}
