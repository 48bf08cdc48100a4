// Long replies under way: each is written a piece at a time, as its client takes it, while others are served. Used by:
// executor (begins), session (the client's side). Uses: commands/long-reply (what is written).
//
// A reply runs from the moment in which what its command wrote has left (so that nothing leaves before it is as durable
// as the policy says) to its last piece. Meanwhile its client executes no command, and messages to it wait.
// Invariants: (1) between two pieces nothing of a running reply is in the session's own output; (2) what a reply holds
// is let go with its last piece, with its client, or when the client has taken nothing for so long that it is closed.

import { CorruptionError } from '../base/errors.js'
import type { LongReply } from '../commands/long-reply.js'
import type { Request } from '../resp/request.js'
import type { Deadline, Deadlines } from './deadlines.js'
import type { ClientSession } from './session.js'
import type { TurnShares } from './turn-shares.js'

/** Bytes handed to a client's socket ahead of what it takes. */
const UNSENT_BYTES_MAX = 256 * 1024
/** Bytes written in one go before others have their turn, should that not be over before. */
const TURN_BYTES = 256 * 1024
/** Pieces are gathered up to so many bytes for a send: that takes about a share of a turn when they are cold. */
const SEND_BYTES = 64 * 1024
/** Each holds a view of the store: beyond it replies are written at once. */
export const STREAMS_MAX = 1000

export interface StreamHost {
  readonly deadlines: Deadlines
  readonly shares: TurnShares
  /** Milliseconds without progress after which a client is closed; 0 for never. */
  streamTimeoutMs(): number
  /** A damaged piece of data was met in the middle of a reply to `request`. */
  damaged(error: CorruptionError, doing: string, request: Request): void
  /** A defect of ours. */
  panic(error: unknown, doing: string): void
  /** The client has its whole reply and goes on. */
  streamed(session: ClientSession): void
  /** The client was closed for taking nothing. */
  stalled(session: ClientSession): void
}

export class ReplyStreams {
  readonly #host: StreamHost
  readonly #running = new Set<RunningReply>()
  /** Replies begun ever. */
  started = 0

  constructor(host: StreamHost) {
    this.#host = host
  }

  get count(): number {
    return this.#running.size
  }

  get pinnedBytes(): number {
    let bytes = 0
    for (const { reply } of this.#running) bytes += reply.pinnedBytes
    return bytes
  }

  /** The session's command leaves the rest of its answer to `reply`. @param request its own copy */
  begin(session: ClientSession, reply: LongReply, request: Request): void {
    const running = new RunningReply(this.#host, session, reply, request, () => this.#running.delete(running))
    this.#running.add(running)
    this.started++
    session.streaming = running
  }

  /** Ends all, and the connections of their clients: the data they read are about to be closed. */
  endAll(): void {
    for (const { session } of Array.from(this.#running)) session.close('now')
    for (const running of Array.from(this.#running)) running.end()
  }
}

export class RunningReply {
  /** An output that is on its way will start it. */
  awaited = false
  #started = false
  #scheduled = false
  #ended = false
  #deadline: Deadline | undefined

  constructor(
    readonly host: StreamHost,
    readonly session: ClientSession,
    readonly reply: LongReply,
    readonly request: Request,
    readonly onEnd: () => void,
  ) {}

  /** What the command wrote itself has left. */
  start(): void {
    if (this.#ended) return
    this.#started = true
    this.#rearm()
    this.#schedule()
  }

  /** The client has taken something. */
  drained(): void {
    if (!this.#started || this.#ended) return
    this.#rearm()
    this.#schedule()
  }

  /** Lets go of everything; for a client that is gone. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#deadline !== undefined) this.host.deadlines.cancel(this.#deadline)
    this.reply.close()
    this.session.streaming = undefined
    this.onEnd()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.host.shares.add(this.#work)
  }

  readonly #work = (isOver: () => boolean): void => {
    this.#scheduled = false
    if (this.#ended) return
    this.#rearm()
    try {
      this.#writeSome(isOver)
    } catch (error) {
      // Its head has promised what cannot be given any more: only a broken connection tells the client.
      if (error instanceof CorruptionError) this.host.damaged(error, this.session.lastCommand, this.request)
      else this.host.panic(error, this.session.lastCommand)
      this.session.close('now')
      this.end()
    }
  }

  #writeSome(isOver: () => boolean): void {
    const { session, reply } = this
    const { transport } = session
    for (let bytes = 0; bytes < TURN_BYTES && (bytes === 0 || !isOver());) {
      if (transport.unsentBytes >= UNSENT_BYTES_MAX) return
      const fetched = reply.fetch()
      if (fetched !== undefined) return this.#continueAfter(fetched)
      let more = true
      while (more && session.reply.position < SEND_BYTES && reply.fetch() === undefined)
        more = reply.write(session.reply)
      bytes += session.reply.position
      session.sendPiece()
      if (!more) return this.#finish()
    }
    // Others have their turn, also when this client takes everything at once.
    this.#schedule()
  }

  #continueAfter(fetched: Promise<void>): void {
    this.#scheduled = true
    void fetched.then(() => this.host.shares.add(this.#work))
  }

  #finish(): void {
    this.end()
    this.host.streamed(this.session)
  }

  #rearm(): void {
    const { deadlines } = this.host
    if (this.#deadline !== undefined) deadlines.cancel(this.#deadline)
    const ms = this.host.streamTimeoutMs()
    this.#deadline = ms === 0 ? undefined : deadlines.add(ms, () => this.#stalled())
  }

  #stalled(): void {
    this.#deadline = undefined
    this.host.stalled(this.session)
    this.session.close('now')
    this.end()
  }
}
