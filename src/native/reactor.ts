// Sockets without Node's streams: everything that arrived at all of them in one turn of the event loop is told in one
// go. A read through Node's streams runs through four layers and a callback of its own, which costs more than most of
// the commands that it brings. Used by: net/. Has no twin: without the addon nothing listens.
//
// Invariants: (1) users hear of their sockets in the order in which things happened; (2) after close() a user hears
// nothing more; (3) the bytes handed over are valid until the call returns.

import { assert } from '../base/assert.js'
import { addon } from './addon.js'

/** The addon's part. Handles are opaque; numbers below zero are -errno. */
export interface ReactorAddon {
  reactorOpen(onTurn: (events: number) => void, input: Buffer, events: Buffer): unknown
  reactorDuplicate(fd: number): number
  reactorAdd(handle: unknown, fd: number): number
  reactorWatch(handle: unknown, slot: number, watched: number): void
  reactorClose(handle: unknown, slot: number): void
  reactorStop(handle: unknown): void
}

/** Who owns a socket. What these methods throw ends the process. */
export interface SocketUser {
  /** bytes[from, to) arrived; the buffer may be written to there, until this returns. */
  received(bytes: Buffer, from: number, to: number): void
  /** The peer sends nothing more. */
  ended(): void
  /** The connection broke. Only close() is left to be called. */
  broke(): void
  /** More can be sent. Comes in each turn while it is watched for. */
  writable(): void
}

/** Around everything that is heard in one turn. */
export interface TurnListener {
  turnBegins(): void
  turnEnds(): void
}

/** What Reactor.watch looks for; the numbers stand in native/src/reactor.h. */
export const Watch = { None: 0, Read: 1, Write: 2 } as const

/**
 * What all sockets together may bring in a turn: some hundreds of small commands, so that no turn takes long, however
 * deep the pipelines are. Who finds no room comes first in the next turn.
 */
const INPUT_BYTES = 64 * 1024
const EVENTS_MAX = 4096
/** Layout of ReactorEvent in native/src/reactor.h, in 32-bit words. */
const EVENT = { SLOT: 0, RESULT: 1, OFFSET: 2, WORDS: 3 } as const
const WRITABLE = -(2 ** 31)

export class Reactor {
  readonly #native: ReactorAddon
  readonly #handle: unknown
  readonly #turn: TurnListener
  readonly #input = Buffer.allocUnsafeSlow(INPUT_BYTES)
  readonly #events: Int32Array
  readonly #users: (SocketUser | undefined)[] = []
  /** Events of the turn that are not told yet: [#at, #count). */
  #at = 0
  #count = 0

  constructor(turn: TurnListener) {
    assert(addon !== undefined, 'the native addon is there; "npm install" builds it')
    this.#native = addon
    this.#turn = turn
    const events = Buffer.alloc(EVENTS_MAX * EVENT.WORDS * 4)
    this.#events = new Int32Array(events.buffer, events.byteOffset, EVENTS_MAX * EVENT.WORDS)
    this.#handle = addon.reactorOpen(count => this.#onTurn(count), this.#input, events)
    assert(typeof this.#handle !== 'number', 'the event loop takes a reactor')
  }

  /** A descriptor of the same socket, so that whoever has `fd` may close it. Negative: -errno. */
  static duplicate(fd: number): number {
    assert(addon !== undefined, 'the native addon is there; "npm install" builds it')
    return addon.reactorDuplicate(fd)
  }

  /**
   * Takes over the descriptor of a connected socket; returns its slot, or -errno, and then the descriptor is closed.
   * Nothing is watched for yet.
   */
  add(fd: number, user: SocketUser): number {
    const slot = this.#native.reactorAdd(this.#handle, fd)
    if (slot >= 0) this.#users[slot] = user
    return slot
  }

  /** `watched` is a sum of Watch. */
  watch(slot: number, watched: number): void {
    this.#native.reactorWatch(this.#handle, slot, watched)
  }

  /** Closes the descriptor at once. */
  close(slot: number): void {
    this.#users[slot] = undefined
    this.#native.reactorClose(this.#handle, slot)
  }

  /** Ends it; all sockets are closed already. */
  stop(): void {
    this.#native.reactorStop(this.#handle)
  }

  /** Tells what the turn has brought and is not told yet; also from inside a user's call, about the others. */
  tell(): void {
    const events = this.#events
    while (this.#at < this.#count) {
      const at = this.#at++ * EVENT.WORDS
      const user = this.#users[events[at + EVENT.SLOT]]
      if (user === undefined) continue
      const result = events[at + EVENT.RESULT]
      const offset = events[at + EVENT.OFFSET]
      if (result > 0) user.received(this.#input, offset, offset + result)
      else if (result === 0) user.ended()
      else if (result === WRITABLE) user.writable()
      else user.broke()
    }
  }

  #onTurn(count: number): void {
    this.#at = 0
    this.#count = count
    this.#turn.turnBegins()
    this.tell()
    this.#turn.turnEnds()
  }
}
