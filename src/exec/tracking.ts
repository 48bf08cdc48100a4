// Client-side caching: who read which key, and the messages that tell of a change. A client either has the keys of its
// reading commands remembered and hears once of each, or it hears of every key with one of its prefixes (broadcast).
// Used by: executor, context (what changes), commands (as commands/server's Tracking).
//
// Invariants: (1) `active` is false only while nobody tracks and nothing is remembered: the one question of hot paths;
// (2) a key in the table has at least one reader; numbers of clients that are gone stay there until their key changes
// or is dropped, and are passed over; (3) a prefix is kept while a client has it.
//
// Keys are known by name alone, not by database, as in Redis.

import type { Config } from '../base/config.js'
import type { Session, Tracking as TrackingCommands, TrackingOptions, TrackingState } from '../commands/server.js'
import { Flag } from '../commands/spec.js'
import { keysOf } from '../commands/table.js'
import type { CommandTable, TableRow } from '../commands/table.js'
import { ReplyWriter } from '../resp/reply-writer.js'
import type { Request } from '../resp/request.js'
import type { ClientSession } from './session.js'

export interface TrackingHost {
  readonly table: CommandTable
  readonly sessions: { get(id: number): ClientSession | undefined }
  readonly server: { readonly config: Config }
}

interface Prefix {
  readonly clients: Set<ClientSession>
  /** Keys changed since the last broadcast, each with who changed it last; nobody did when its time came. */
  readonly changed: Map<string, Session | undefined>
}

const CHANNEL = '__redis__:invalidate'
/** Keys dropped before one command while there are too many; as many more each time that did not suffice. */
const DROPPED_AT_ONCE = 100
/** They read nothing themselves: what they call does. */
const SCRIPT_RUNNERS = new Set(['eval_ro', 'evalsha_ro', 'fcall_ro'])

export class Tracking implements TrackingCommands {
  active = false
  readonly #host: TrackingHost
  readonly #clients = new Set<ClientSession>()
  /** Readers by key; keys in the order in which they were first read. */
  readonly #readers = new Map<string, Set<number>>()
  readonly #prefixes = new Map<string, Prefix>()
  readonly #encoder = new ReplyWriter()
  #itemCount = 0
  /** Whose command runs, or is about to. */
  #current: ClientSession | undefined
  /** How often in a row too many keys were left. */
  #excesses = 0

  constructor(host: TrackingHost) {
    this.#host = host
  }

  get clientCount(): number {
    return this.#clients.size
  }
  get keyCount(): number {
    return this.#readers.size
  }
  /** Pairs of a key and a reader. */
  get itemCount(): number {
    return this.#itemCount
  }
  get prefixCount(): number {
    return this.#prefixes.size
  }

  begin(session: ClientSession, options: TrackingOptions): void {
    const { redirect, broadcast, optIn, optOut, noLoop, prefixes } = options
    const chosen = { redirect, broadcast, optIn, optOut, noLoop, broken: false }
    const state: TrackingState = (session.tracking ??= { ...chosen, caching: false, prefixes: new Set() })
    Object.assign(state, chosen)
    if (broadcast) for (const prefix of prefixes.length > 0 ? prefixes : ['']) this.#follow(session, state, prefix)
    this.#clients.add(session)
    this.active = true
  }

  end(session: ClientSession): void {
    const state = session.tracking
    if (state === undefined) return
    session.tracking = undefined
    for (const name of state.prefixes) {
      const prefix = this.#prefixes.get(name)!
      prefix.clients.delete(session)
      if (prefix.clients.size === 0) this.#prefixes.delete(name)
    }
    this.#clients.delete(session)
    this.#look()
  }

  #follow(session: ClientSession, state: TrackingState, name: string): void {
    let prefix = this.#prefixes.get(name)
    if (prefix === undefined) {
      prefix = { clients: new Set(), changed: new Map() }
      this.#prefixes.set(name, prefix)
    }
    prefix.clients.add(session)
    state.prefixes.add(name)
  }

  #look(): void {
    this.active = this.#clients.size > 0 || this.#readers.size > 0
    if (!this.active) this.#current = undefined
  }

  // --- around commands

  /** The client's command comes next. */
  enter(session: ClientSession): void {
    this.#current = session
    this.#limit()
  }

  /** The client's command has ended. CLIENT CACHING holds for the command or transaction behind it. */
  leave(session: ClientSession, request: Request): void {
    this.#current = undefined
    const state = session.tracking
    if (state === undefined || !state.caching || session.multi !== undefined) return
    if (session.postponed !== undefined || session.cold !== undefined) return
    if (!this.#host.table.lookup(request)?.name.startsWith('client')) state.caching = false
  }

  /** A command was run. The reads of a script are those of its declared keys. */
  remember(session: ClientSession, row: TableRow, request: Request): void {
    if ((row.flags & Flag.ReadOnly) === 0 || SCRIPT_RUNNERS.has(row.name)) return
    if (!session.isScript) return this.#remember(session, row, request)
    const { runner } = session
    if (runner?.client.tracking === undefined) return
    this.#remember(runner.client, this.#host.table.lookup(runner.request)!, runner.request)
  }

  #remember(session: ClientSession, row: TableRow, request: Request): void {
    const state = session.tracking
    if (state === undefined || state.broadcast) return
    if (state.optIn ? !state.caching : state.optOut && state.caching) return
    for (const at of keysOf(row.spec, request) ?? []) {
      const key = request.text(at)
      let readers = this.#readers.get(key)
      if (readers === undefined) this.#readers.set(key, (readers = new Set()))
      if (readers.has(session.id)) continue
      readers.add(session.id)
      this.#itemCount++
    }
  }

  // --- changes

  /** @param by whose command changed the key; undefined when nobody's did */
  touch(key: string, by: Session | undefined): void {
    for (const [name, { changed }] of this.#prefixes) if (key.startsWith(name)) changed.set(key, by)
    this.#invalidate(key)
  }

  /** Databases were emptied: everybody hears that all keys changed. */
  flush(): void {
    for (const session of this.#clients) this.#tell(session, undefined)
    this.#readers.clear()
    this.#itemCount = 0
    this.#look()
  }

  /** Drops keys, those first read first, while there are more than tracking-table-max-keys. */
  #limit(): void {
    // 0 for no limit.
    const keysMax = this.#host.server.config.values.trackingTableMaxKeys
    if (keysMax === 0 || this.#readers.size <= keysMax) {
      this.#excesses = 0
      return
    }
    let left = DROPPED_AT_ONCE * ++this.#excesses
    for (const key of this.#readers.keys()) {
      if (left-- === 0 || this.#readers.size <= keysMax) return
      this.#invalidate(key)
    }
  }

  endTick(): void {
    if (this.active) this.#limit()
    if (this.#prefixes.size > 0) this.#broadcast()
  }

  /** Each prefix' clients hear of its keys that were changed in the tick. */
  #broadcast(): void {
    for (const name of [...this.#prefixes.keys()].sort()) {
      const prefix = this.#prefixes.get(name)
      // A client that was told too much is closed, and its prefixes go.
      if (prefix === undefined || prefix.changed.size === 0) continue
      const { clients, changed } = prefix
      const keys = [...changed.keys()].sort()
      for (const session of clients) {
        const { noLoop } = session.tracking!
        const told = noLoop ? keys.filter(key => changed.get(key) !== session) : keys
        if (told.length > 0) this.#tell(session, told)
      }
      changed.clear()
    }
  }

  #invalidate(key: string): void {
    const readers = this.#readers.get(key)
    if (readers === undefined) return
    this.#readers.delete(key)
    this.#itemCount -= readers.size
    for (const id of readers) {
      const session = this.#host.sessions.get(id)
      const state = session?.tracking
      if (session === undefined || state === undefined || state.broadcast) continue
      if (state.noLoop && session === this.#current) continue
      this.#tell(session, [key])
    }
    if (this.#readers.size === 0) this.#look()
  }

  // --- messages

  /** @param keys undefined for all */
  #tell(session: ClientSession, keys: readonly string[] | undefined): void {
    const state = session.tracking!
    const { redirect } = state
    let receiver = session
    if (redirect !== 0) {
      const other = this.#host.sessions.get(redirect)
      if (other === undefined || other.closing) {
        state.broken = true
        if (session.protocol === 3) session.push(this.#brokenText(redirect))
        return
      }
      receiver = other
    }
    if (receiver.protocol === 3) receiver.push(this.#text(3, ['invalidate'], keys))
    // RESP2 has no pushes: only who expects messages anyway can take one.
    else if (redirect !== 0 && receiver.subscriber) receiver.push(this.#text(2, ['message', CHANNEL], keys))
  }

  #text(protocol: 2 | 3, words: readonly string[], keys: readonly string[] | undefined): Buffer[] {
    const writer = this.#encoder
    writer.protocol = protocol
    writer.push(words.length + 1)
    for (const word of words) writer.latin1(word)
    if (keys === undefined) writer.nullBulk()
    else {
      writer.array(keys.length)
      for (const key of keys) writer.latin1(key)
    }
    return writer.take()
  }

  #brokenText(redirect: number): Buffer[] {
    const writer = this.#encoder
    writer.protocol = 3
    writer.push(2)
    writer.latin1('tracking-redir-broken')
    writer.integer(redirect)
    return writer.take()
  }
}
