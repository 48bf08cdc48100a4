// One client: what the commands see of it (Session) and what its connection calls (ClientHandler). Its output is
// gathered in `reply`, sealed at the end of the tick and released when the tick's journal write is as durable as it
// must be.
//
// Invariants: (1) while one of `waiter`, `busy`, `postponed` or `closing` says so, no further command is executed; the
// transport was told to stop and is resumed at the end of the tick in which the reason went; (2) output leaves in the
// order in which it was sealed.

import type { AclUser } from '../commands/acl-user.js'
import type { Session, TrackingState } from '../commands/server.js'
import type { LargeRequest } from '../resp/large-request.js'
import type { Request } from '../resp/request.js'
import type { Waiter } from './blocked-clients.js'
import { ClientReply } from './client-reply.js'
import type { ColdRead } from './cold-reads.js'
import type { TransactionQueue } from './multi.js'
import type { RunningReply } from './reply-streams.js'
import type { ClientHandler, Transport } from './transport.js'
import type { WatchedKey, Watcher } from './watched-keys.js'

/** What a session needs of the executor. */
export interface SessionHost {
  /** Runs or queues one command, or makes the session wait. */
  execute(session: ClientSession, request: Request): void
  /** As execute(), of a request in pieces that are not in the journal yet. */
  executeLarge(session: ClientSession, request: LargeRequest): void
  /** The session has output or wants to end. */
  enlist(session: ClientSession): void
  /** Ends a wait for keys; false when there was none. */
  unblock(session: ClientSession, how: 'timeout' | 'error'): boolean
  /** Back to the state of a new connection: transaction, WATCH, subscriptions, monitor. */
  reset(session: ClientSession): void
  /** The client ends: it waits for nothing any more. */
  stopWaiting(session: ClientSession): void
  /** The connection is gone. */
  closed(session: ClientSession): void
  /** What the client holds in memory may have changed. */
  noteMemory(session: ClientSession): void
  /** An error reply was written. */
  countError(text: string): void
  /** Checks client-output-buffer-limit; true when the client must go. */
  overOutputLimit(session: ClientSession): boolean
  /** Whether the client will be closed for its output. */
  outputFull(session: ClientSession): boolean
  readonly nowMs: number
  /** Whether new clients must authenticate first. */
  readonly passwordRequired: boolean
  /** Whom new clients are. */
  readonly defaultUser: AclUser
}

/** The output of one tick. */
export interface SealedOutput {
  readonly chunks: Buffer[]
  released: boolean
  /** Nothing follows: the connection ends behind it. */
  readonly last: boolean
  /** The rest of a long reply, which begins behind it. */
  readonly starts: RunningReply | undefined
}

export class ClientSession implements Session, ClientHandler, Watcher {
  name = ''
  libName = ''
  libVersion = ''
  databaseIndex = 0
  account: AclUser
  readonly createdAtMs: number
  lastInteractionMs: number
  lastCommand = 'NULL'
  noEvict = false
  noTouch = false
  replyMode: 'on' | 'off' | 'skip-next' | 'skip' = 'on'

  readonly reply: ClientReply
  /** Set while the client waits for keys. */
  waiter: Waiter<ClientSession> | undefined
  /** Works begun by Server.later that have not ended. */
  busy = 0
  /** A command that CLIENT PAUSE or a reload keeps back. */
  postponed: Request | undefined
  /** A command that waits for rows to be fetched, or is being run again after that. */
  cold: ColdRead | undefined
  /** A reply that is sent as the client takes it. */
  streaming: RunningReply | undefined
  /** Set from MULTI to EXEC. */
  multi: TransactionQueue | undefined
  /** Stands for a running script. */
  isScript = false
  /** For whom the script runs, and as which command; of a script only. */
  runner: { readonly client: ClientSession; readonly request: Request } | undefined
  /** CLIENT TRACKING; tracking.ts changes it. */
  tracking: TrackingState | undefined
  watchBroken = false
  readonly watchedKeys: WatchedKey[] = []
  /** Names it subscribed to; pubsub.ts changes them. */
  readonly subscribed = { channel: new Set<string>(), pattern: new Set<string>(), shard: new Set<string>() }
  /** True while one of them is not empty. */
  subscriber = false
  monitoring = false
  /** Sent every change, see change-feed.ts. */
  following = false
  /** Its command is running: a message must not stand inside the reply, nor be taken back with it. */
  speaking = false
  /** Unix ms since when the output has been above the soft limit; 0 when it is not. */
  softLimitSinceMs = 0
  /** What ClientMemory counts for it. */
  notedBytes = 0
  notedEvictableBytes = 0
  /** Already in the tick's list. */
  enlisted = false
  closing = false
  closed = false

  readonly #host: SessionHost
  #authenticated: boolean
  /** Its connection was given up: what was buffered is gone. */
  #ended = false
  #sealed: SealedOutput[] = []
  #sealedBytes = 0
  /** Messages that wait for the end of its own command. */
  #heldMessages: Buffer[] = []
  #heldBytes = 0

  constructor(
    readonly id: number,
    readonly transport: Transport,
    host: SessionHost,
  ) {
    this.#host = host
    this.reply = new ClientReply(host)
    this.account = host.defaultUser
    this.createdAtMs = host.nowMs
    this.lastInteractionMs = this.createdAtMs
    this.#authenticated = !host.passwordRequired
    if (!this.#authenticated) transport.setParserLimits({ unauthenticated: true })
  }

  get address(): string {
    return this.transport.address
  }
  get localAddress(): string {
    return this.transport.localAddress
  }
  /** File descriptor for CLIENT LIST. */
  get fd(): number {
    return this.transport.fd
  }
  get protocol(): 2 | 3 {
    return this.reply.protocol
  }
  set protocol(version: 2 | 3) {
    this.reply.protocol = version
  }
  get authenticated(): boolean {
    return this.#authenticated
  }
  set authenticated(value: boolean) {
    if (value === this.#authenticated) return
    this.#authenticated = value
    this.transport.setParserLimits({ unauthenticated: !value })
  }
  get subscriptions(): number {
    return this.subscribed.channel.size
  }
  get patternSubscriptions(): number {
    return this.subscribed.pattern.size
  }
  get shardSubscriptions(): number {
    return this.subscribed.shard.size
  }
  get blocked(): boolean {
    return this.waiter !== undefined || this.postponed !== undefined
  }
  get inMulti(): boolean {
    return this.multi !== undefined
  }
  get multiCount(): number {
    return this.multi === undefined ? -1 : this.multi.commands.length
  }
  get watchCount(): number {
    return this.watchedKeys.length
  }
  get queryBufferBytes(): number {
    return this.transport.bufferedInputBytes
  }
  get queryBufferFreeBytes(): number {
    return this.transport.freeInputBytes
  }
  get outputBytes(): number {
    return this.reply.position + this.#sealedBytes + this.#heldBytes + this.transport.unsentBytes
  }
  get outputChunks(): number {
    return this.#sealed.length + this.transport.unsentChunks
  }
  get memoryBytes(): number {
    if (this.#ended) return 0
    const queued = this.multi === undefined ? 0 : this.multi.bytes
    const { channel, pattern, shard } = this.subscribed
    const prefixes = this.tracking === undefined ? 0 : this.tracking.prefixes.size
    const names = this.watchedKeys.length + channel.size + pattern.size + shard.size + prefixes
    const buffers = this.queryBufferBytes + this.queryBufferFreeBytes + this.outputBytes
    return SESSION_BYTES + buffers + queued + names * NAME_BYTES
  }
  get outputFull(): boolean {
    return this.#host.outputFull(this)
  }
  /** True while no further command may be executed. */
  get halted(): boolean {
    if (this.closing || this.waiter !== undefined || this.busy > 0) return true
    return this.postponed !== undefined || this.streaming !== undefined || this.cold !== undefined
  }

  onRequest(request: Request): 'go-on' | 'stop' {
    if (this.closing) return 'stop'
    if (request.large === undefined) this.#host.execute(this, request)
    else this.#host.executeLarge(this, request as LargeRequest)
    return this.halted ? 'stop' : 'go-on'
  }

  onFault(text: string): void {
    if (this.closing) return
    this.reply.error(`ERR ${text}`)
    this.close('after-reply')
  }

  onClose(): void {
    if (this.closed) return
    this.closed = true
    this.closing = true
    this.#ended = true
    this.#sealed = []
    this.#sealedBytes = 0
    this.streaming?.end()
    this.#host.closed(this)
  }

  onDrain(): void {
    this.streaming?.drained()
    this.#host.noteMemory(this)
    if (!this.closing) this.#host.overOutputLimit(this)
  }

  onPartialInput(): void {
    this.#host.noteMemory(this)
  }

  onInputEnd(): void {
    this.close('after-reply')
  }

  mayIdle(): boolean {
    return this.waiter !== undefined || this.subscriber || this.monitoring || this.following
  }

  /** Sends what is no reply: a message, a confirmation, a line of MONITOR. The bytes must never change afterwards. */
  push(chunks: readonly Buffer[]): void {
    if (this.closing) return
    if (this.speaking) {
      for (const chunk of chunks) this.#hold(chunk)
      if (this.streaming !== undefined) this.#host.overOutputLimit(this)
      return
    }
    for (const chunk of chunks) this.reply.wire(chunk, 0, chunk.length)
    this.#host.enlist(this)
    if (!this.#host.overOutputLimit(this)) this.#host.noteMemory(this)
  }

  #hold(message: Buffer): void {
    this.#heldMessages.push(message)
    this.#heldBytes += message.length
  }

  /** Its command has ended, and what was written of it is final. */
  endSpeaking(): void {
    if (this.streaming !== undefined) return
    this.speaking = false
    if (this.#heldMessages.length === 0) return
    const held = this.#heldMessages
    this.#heldMessages = []
    this.#heldBytes = 0
    this.push(held)
  }

  close(when: 'now' | 'after-reply'): void {
    // What would be served to a client that goes would be lost.
    this.#host.stopWaiting(this)
    const already = this.closing
    this.closing = true
    if (when === 'now') {
      this.#ended = true
      this.streaming?.end()
      this.transport.destroy()
      this.#host.noteMemory(this)
    } else if (!already) this.#host.enlist(this)
  }

  reset(): void {
    this.#host.reset(this)
    this.name = ''
    this.databaseIndex = 0
    this.account = this.#host.defaultUser
    this.noEvict = false
    this.noTouch = false
    this.replyMode = 'on'
    this.protocol = 2
    this.authenticated = !this.#host.passwordRequired
  }

  unblock(how: 'timeout' | 'error'): boolean {
    return this.#host.unblock(this, how)
  }

  /** Goes on with what was kept back and what the client sent meanwhile; called between commands only. */
  goOn(): void {
    if (this.closing || this.waiter !== undefined || this.busy > 0 || this.streaming !== undefined) return
    const { cold } = this
    if (cold !== undefined && !cold.ready) return
    const request = cold?.request ?? this.postponed
    if (request !== undefined) {
      this.postponed = undefined
      if (isToBeStaged(request)) this.#host.executeLarge(this, request)
      else this.#host.execute(this, request)
      if (this.halted) return
    }
    this.transport.resume()
  }

  /** Whether nothing waits to leave, so that a reply may leave at once. */
  get outputIsEmpty(): boolean {
    return this.reply.position === 0 && this.#sealed.length === 0
  }

  /** Sends the reply now, in the middle of a tick; for replies that nothing has to be durable for. */
  sendNow(): void {
    if (!this.closed) this.transport.send(this.reply.take())
  }

  /** As sendNow(), of a piece of a long reply. */
  sendPiece(): void {
    this.sendNow()
    if (this.transport.unsentBytes > 0) this.#host.overOutputLimit(this)
    this.#host.noteMemory(this)
  }

  /** End of a tick: takes out the tick's output. */
  seal(): SealedOutput {
    this.enlisted = false
    this.#sealedBytes += this.reply.position
    const { streaming } = this
    const starts = streaming?.awaited === true ? undefined : streaming
    if (starts !== undefined) starts.awaited = true
    const last = this.closing && streaming === undefined
    const sealed = { chunks: this.reply.take(), released: false, last, starts }
    this.#sealed.push(sealed)
    return sealed
  }

  /** `output` may leave as soon as everything sealed before it has. */
  release(output: SealedOutput): void {
    output.released = true
    while (!this.closed && this.#sealed.length > 0 && this.#sealed[0].released) this.#send(this.#sealed.shift()!)
  }

  #send({ chunks, last, starts }: SealedOutput): void {
    if (chunks.length > 0) {
      for (let i = 0; i < chunks.length; i++) this.#sealedBytes -= chunks[i].length
      this.transport.send(chunks)
    }
    if (last) this.transport.endAfterSend()
    else if (this.transport.unsentBytes > 0) this.#host.overOutputLimit(this)
    this.#host.noteMemory(this)
    starts?.start()
  }
}

function isToBeStaged(request: Request): request is LargeRequest {
  if (request.large === undefined) return false
  for (const argument of request.large.values()) if (argument.staged === undefined) return true
  return false
}

/** A fair guess of what a client costs beside its buffers. */
const SESSION_BYTES = 2048
/** A watched key or a subscription, its name included. */
const NAME_BYTES = 120
