// Clients in SYNC: each is sent every change of the data from then on, as the commands that the journal holds, in the
// order in which they happened. A sink before the store's, so that it misses nothing; while nobody follows it only
// passes on. Used by: server.ts.
//
// The form is what Redis sends its replicas: SELECT before a command of another database, MULTI and EXEC around what
// one transaction, script or command did. Commands that only the journal knows are left out.

import { requestOf } from '../resp/request.js'
import type { EffectSink, Staging } from '../store/effects.js'
import type { ClientSession } from './session.js'

type EffectArgument = Buffer | string | number | bigint

interface Change {
  readonly database: number
  readonly bytes: Buffer
  /** The removal of a key whose time has come: it belongs to nothing around it. */
  readonly isExpiry: boolean
}

const MULTI = requestOf(['MULTI']).buffer
const EXEC = requestOf(['EXEC']).buffer

export class ChangeFeed implements EffectSink {
  /** The journal's; another one after a reload. */
  inner: EffectSink
  readonly #isInternal: (name: string) => boolean
  readonly #followers = new Set<ClientSession>()
  #changes: Change[] = []
  /** Database of the last change that was sent; -1 when a follower knows of none. */
  #database = -1

  /** @param isInternal tells commands that only the journal knows */
  constructor(inner: EffectSink, isInternal: (name: string) => boolean) {
    this.inner = inner
    this.#isInternal = isInternal
  }

  get staging(): Staging | undefined {
    return this.#followers.size > 0 ? undefined : this.inner.staging
  }

  /** From the next change on. */
  follow(session: ClientSession): void {
    session.following = true
    this.#followers.add(session)
    this.#database = -1
  }

  begin(nowMs: number): void {
    this.inner.begin(nowMs)
  }

  add(database: number, bytes: Buffer, from: number, to: number): void {
    this.inner.add(database, bytes, from, to)
    if (this.#followers.size > 0) this.#keep(database, Buffer.from(bytes.subarray(from, to)))
  }

  addArguments(database: number, args: readonly EffectArgument[]): void {
    this.inner.addArguments(database, args)
    if (this.#followers.size === 0 || this.#isInternal(String(args[0]))) return
    this.#keep(database, requestOf(args).buffer, args.length === 2 && args[0] === 'DEL')
  }

  addSpliced(
    database: number,
    bytes: Buffer,
    from: number,
    to: number,
    cutFrom: number,
    cutTo: number,
    piece: Buffer,
    pieceBytes: number,
  ): void {
    this.inner.addSpliced(database, bytes, from, to, cutFrom, cutTo, piece, pieceBytes)
    if (this.#followers.size === 0) return
    const parts = [bytes.subarray(from, cutFrom), piece.subarray(0, pieceBytes), bytes.subarray(cutTo, to)]
    this.#keep(database, Buffer.concat(parts))
  }

  end(): void {
    this.inner.end()
    if (this.#changes.length > 0) this.#send()
  }

  abandon(): void {
    this.inner.abandon()
    this.#changes = []
  }

  #keep(database: number, bytes: Buffer, isExpiry = false): void {
    this.#changes.push({ database, bytes, isExpiry })
  }

  #send(): void {
    const changes = this.#changes
    this.#changes = []
    const chunks: Buffer[] = []
    const isGroup = changes.length > 1 && changes.some(change => !change.isExpiry)
    this.#select(changes[0].database, chunks)
    if (isGroup) chunks.push(MULTI)
    for (const { database, bytes } of changes) {
      this.#select(database, chunks)
      chunks.push(bytes)
    }
    if (isGroup) chunks.push(EXEC)
    for (const session of this.#followers) {
      if (session.closing) this.#followers.delete(session)
      else session.push(chunks)
    }
  }

  #select(database: number, chunks: Buffer[]): void {
    if (database === this.#database) return
    this.#database = database
    chunks.push(requestOf(['SELECT', database]).buffer)
  }
}
