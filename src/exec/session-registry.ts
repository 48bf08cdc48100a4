// All connected clients by id, in order of connection. Ids are never given out twice.

import type { ClientSession } from './session.js'

export class SessionRegistry implements Iterable<ClientSession> {
  readonly #sessions = new Map<number, ClientSession>()
  #lastId = 0

  newId(): number {
    return ++this.#lastId
  }

  add(session: ClientSession): void {
    this.#sessions.set(session.id, session)
  }

  remove(session: ClientSession): void {
    this.#sessions.delete(session.id)
  }

  get(id: number): ClientSession | undefined {
    return this.#sessions.get(id)
  }

  get size(): number {
    return this.#sessions.size
  }

  [Symbol.iterator](): IterableIterator<ClientSession> {
    return this.#sessions.values()
  }
}
