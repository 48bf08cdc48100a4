// Clients that wait for keys: one queue per key and database, first come first served. A command that touches a key
// makes it ready; when the command (transaction, script) is over, the queues of ready keys are served, again and again
// until nothing becomes ready any more, since serving one client may wake another. A wait may also ask to be served at
// a certain time, by itself: what it waits for comes with time, not with a command.
//
// Invariants: a waiter stands in the queue of each of its keys or in none; a client has at most one waiter.

import { assert } from '../base/assert.js'
import type { Wait } from '../commands/context.js'
import type { TableRow } from '../commands/table.js'
import type { Request } from '../resp/request.js'
import type { Deadline, Deadlines } from './deadlines.js'

/** The command that waits, for statistics and the slow log when it was served. */
export interface WaitingCommand {
  readonly row: TableRow
  /** Its own copy. */
  readonly request: Request
  /** What it took until it waited. */
  readonly us: number
}

export class Waiter<S> {
  deadline: Deadline | undefined
  /** When it is to be served although nothing touched its keys. */
  retry: Deadline | undefined
  /** False once it was served, timed out or left. */
  waiting = true
  /** How many queues had been served when it began to wait. */
  turn = 0
  constructor(
    readonly session: S,
    readonly wait: Wait,
    readonly database: number,
    readonly command: WaitingCommand,
  ) {}
}

interface ReadyKey {
  readonly database: number
  readonly key: string
}

export class BlockedClients<S> {
  readonly #queues = new Map<number, Map<string, Set<Waiter<S>>>>()
  readonly #deadlines: Deadlines
  #ready: ReadyKey[] = []
  readonly #due: Waiter<S>[] = []
  readonly #onDue: (waiter: Waiter<S>) => void
  /** Counts the queues served. */
  #turn = 0
  /** Clients that wait. */
  count = 0
  /** Keys somebody waits for. */
  keyCount = 0

  /** @param onDue a waiter is to be served for the time it is: calls makeDue(), then serveReady() */
  constructor(deadlines: Deadlines, onDue: (waiter: Waiter<S>) => void) {
    this.#deadlines = deadlines
    this.#onDue = onDue
  }

  get hasReady(): boolean {
    return this.#ready.length > 0 || this.#due.length > 0
  }

  /** @param onTimeout called once when its time is up; the waiter has left the queues by then */
  add(waiter: Waiter<S>, onTimeout: (waiter: Waiter<S>) => void): void {
    let queues = this.#queues.get(waiter.database)
    if (queues === undefined) {
      queues = new Map()
      this.#queues.set(waiter.database, queues)
    }
    for (const key of waiter.wait.keys) {
      let queue = queues.get(key)
      if (queue === undefined) {
        queue = new Set()
        queues.set(key, queue)
        this.keyCount++
      }
      queue.add(waiter)
    }
    this.count++
    waiter.turn = this.#turn
    if (waiter.wait.timeoutMs > 0) {
      waiter.deadline = this.#deadlines.add(waiter.wait.timeoutMs, () => {
        this.remove(waiter)
        onTimeout(waiter)
      })
    }
    this.#arm(waiter)
  }

  /** The time has come for `waiter`, which serveReady() will serve. */
  makeDue(waiter: Waiter<S>): void {
    if (waiter.waiting) this.#due.push(waiter)
  }

  remove(waiter: Waiter<S>): void {
    if (!waiter.waiting) return
    waiter.waiting = false
    this.count--
    if (waiter.deadline !== undefined) this.#deadlines.cancel(waiter.deadline)
    if (waiter.retry !== undefined) this.#deadlines.cancel(waiter.retry)
    const queues = this.#queues.get(waiter.database)
    assert(queues !== undefined, 'a waiter stands in a queue')
    for (const key of waiter.wait.keys) {
      const queue = queues.get(key)
      if (queue === undefined || !queue.delete(waiter) || queue.size > 0) continue
      queues.delete(key)
      this.keyCount--
    }
  }

  touch(database: number, key: string): void {
    if (this.#queues.get(database)?.has(key)) this.#makeReady(database, key)
  }

  touchAll(database: number): void {
    const queues = this.#queues.get(database)
    if (queues === undefined) return
    for (const key of queues.keys()) this.#makeReady(database, key)
  }

  /**
   * Serves the queues of all ready keys until none is ready.
   * @param serve tries one waiter and says whether it was served; may touch keys
   */
  serveReady(serve: (waiter: Waiter<S>, key: string) => boolean): void {
    while (this.hasReady) {
      for (const waiter of this.#due.splice(0)) this.#serveDue(waiter, serve)
      const ready = this.#ready
      this.#ready = []
      for (const { database, key } of ready) {
        const queue = this.#queues.get(database)?.get(key)
        if (queue === undefined) continue
        this.#serveQueue(queue, key, serve)
      }
    }
  }

  #serveQueue(queue: Set<Waiter<S>>, key: string, serve: (waiter: Waiter<S>, key: string) => boolean): void {
    const turn = ++this.#turn
    let hungry: string | undefined
    for (const waiter of queue) {
      // Who was served may have come back to the queue, and waits for the next turn then.
      if (waiter.turn >= turn) return
      const { exclusive, kind } = waiter.wait
      if (exclusive === true && kind === hungry) continue
      // Serving an earlier one may have sent this one away.
      if (!waiter.waiting) continue
      if (serve(waiter, key)) {
        this.remove(waiter)
        continue
      }
      if (exclusive === true) hungry = kind
      this.#arm(waiter)
    }
  }

  #serveDue(waiter: Waiter<S>, serve: (waiter: Waiter<S>, key: string) => boolean): void {
    for (const key of waiter.wait.keys) {
      if (!waiter.waiting) return
      if (serve(waiter, key)) this.remove(waiter)
    }
    this.#arm(waiter)
  }

  /** Sets the time at which a waiter that still waits is served by itself, in place of the one set before. */
  #arm(waiter: Waiter<S>): void {
    if (waiter.retry !== undefined) this.#deadlines.cancel(waiter.retry)
    waiter.retry = undefined
    const { retryMs } = waiter.wait
    if (retryMs === undefined || !waiter.waiting) return
    waiter.retry = this.#deadlines.add(retryMs, () => {
      waiter.retry = undefined
      this.#onDue(waiter)
    })
  }

  #makeReady(database: number, key: string): void {
    for (const ready of this.#ready) if (ready.key === key && ready.database === database) return
    this.#ready.push({ database, key })
  }
}
