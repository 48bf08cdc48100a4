// The connection on which a Redis backend hears that something happened, made when somebody first listens. Used by:
// redis-backend. A message lost while the connection was away costs its listener one poll interval and nothing else.

import type { Redis } from 'ioredis'
import { pause } from '../client/waiting.js'

type Hear = (text: string) => void

const SUBSCRIBE_MS = 1000

export class WakeChannels {
  #redis: Redis | undefined
  readonly #listeners = new Map<string, Set<Hear>>()
  constructor(private readonly connect: () => Redis) {}

  /**
   * Resolves when it listens, or a little later when the server is away: then it listens as soon as that is back.
   * @returns what ends it; the last listener of a channel unsubscribes
   */
  async listen(channel: string, hear: Hear): Promise<() => Promise<void>> {
    const redis = this.#connection()
    let set = this.#listeners.get(channel)
    if (set === undefined) this.#listeners.set(channel, (set = new Set()))
    set.add(hear)
    if (set.size === 1)
      await Promise.race([redis.subscribe(channel).catch(() => undefined), pause(SUBSCRIBE_MS, undefined, false)])
    return async () => {
      set.delete(hear)
      if (set.size > 0 || this.#listeners.get(channel) !== set) return
      this.#listeners.delete(channel)
      if (redis.status === 'ready') await redis.unsubscribe(channel).catch(() => undefined)
    }
  }

  close(): void {
    this.#listeners.clear()
    this.#redis?.disconnect()
  }

  #connection(): Redis {
    if (this.#redis !== undefined) return this.#redis
    const redis = (this.#redis = this.connect())
    redis.on('error', () => undefined)
    redis.on('message', (channel: string, text: string) => {
      for (const hear of this.#listeners.get(channel) ?? []) hear(text)
    })
    // What was published while the connection was away is not repeated: everybody looks once. A subscription that the
    // break cut off is not known to ioredis, so all are made again.
    redis.on('ready', () => {
      if (this.#listeners.size > 0) redis.subscribe(...this.#listeners.keys()).catch(() => undefined)
      for (const set of this.#listeners.values()) for (const hear of set) hear('')
    })
    return redis
  }
}
