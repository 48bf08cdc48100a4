// Which key goes when memory is short, by maxmemory-policy. Used by: memory-guard, which says when.
//
// Like Redis it does not order all keys but draws maxmemory-samples of each database and keeps the best of what it drew
// in a small pool from one round to the next. By TTL no drawing is needed: expiries are kept in order.
// A stream with consumer groups is passed over unless maxmemory-evict-grouped-streams says otherwise: it is a queue,
// and what is pending in it is somebody's work.

import { unlessDamaged } from '../base/errors.js'
import type { Database, KeyEntry, Keyspace } from '../types/keyspace.js'
import { Stream } from '../types/stream/stream.js'

export type EvictionPolicy =
  | 'noeviction'
  | 'volatile-ttl'
  | 'volatile-lru'
  | 'volatile-lfu'
  | 'volatile-random'
  | 'allkeys-lru'
  | 'allkeys-lfu'
  | 'allkeys-random'

const POOL_MAX = 16
/** Rounds of drawing that may meet nothing that can go before it is believed that there is nothing. */
const ROUNDS_MAX = 16

interface Candidate {
  readonly db: Database
  readonly entry: KeyEntry
  /** The higher, the sooner it goes. */
  readonly score: number
}

export class Eviction {
  policy: EvictionPolicy = 'noeviction'
  /** maxmemory-samples. */
  samples = 5
  /** maxmemory-evict-grouped-streams. */
  groupedStreams = false
  readonly #pick: () => number
  /** Ascending by score. */
  #pool: Candidate[] = []
  #nextDatabase = 0

  /** @param pick gives [0, 1) */
  constructor(pick: () => number) {
    this.#pick = pick
  }

  /** What was drawn under another policy, or of other data, is forgotten. */
  reset(): void {
    this.#pool = []
  }

  /** The key to evict next; undefined when none may go. */
  choose(keyspace: Keyspace): { db: Database; entry: KeyEntry } | undefined {
    const { policy } = this
    if (policy === 'noeviction') return undefined
    const databases = keyspace.databases.filter(db => (this.#volatile ? db.expiringCount : db.size) > 0)
    if (databases.length === 0) return undefined
    if (policy === 'allkeys-random' || policy === 'volatile-random') return this.#anyOf(databases)
    if (policy === 'volatile-ttl') return this.#soonestOf(databases) ?? this.#bestOf(databases, keyspace)
    return this.#bestOf(databases, keyspace)
  }

  get #volatile(): boolean {
    return this.policy.startsWith('volatile')
  }

  #mayGo(entry: KeyEntry): boolean {
    if (this.groupedStreams || entry.type !== 'stream') return true
    const value = unlessDamaged(() => entry.value, undefined)
    return value instanceof Stream && value.groupCount === 0
  }

  /** Goes round the databases, so that each gives some. */
  #anyOf(databases: readonly Database[]): Candidate | undefined {
    for (let tries = ROUNDS_MAX * databases.length; tries > 0; tries--) {
      const db = databases[this.#nextDatabase++ % databases.length]
      const entry = db.sample(this.#volatile, this.#pick)
      if (entry !== undefined && this.#mayGo(entry)) return { db, entry, score: 0 }
    }
    return undefined
  }

  #soonestOf(databases: readonly Database[]): Candidate | undefined {
    let best: Candidate | undefined
    for (const db of databases) {
      const entry = db.soonestToExpire()
      if (entry === undefined || !this.#mayGo(entry)) continue
      if (best === undefined || -entry.expireAtMs > best.score) best = { db, entry, score: -entry.expireAtMs }
    }
    return best
  }

  #bestOf(databases: readonly Database[], keyspace: Keyspace): Candidate | undefined {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      for (const db of databases) {
        for (let i = 0; i < this.samples; i++) this.#draw(db, keyspace)
      }
      for (let best = this.#pool.pop(); best !== undefined; best = this.#pool.pop()) {
        const { db, entry } = best
        if (db.holds(entry) && (!this.#volatile || entry.deadline !== undefined) && this.#mayGo(entry)) return best
      }
    }
    return undefined
  }

  #draw(db: Database, keyspace: Keyspace): void {
    const entry = db.sample(this.#volatile, this.#pick)
    if (entry === undefined || !this.#mayGo(entry)) return
    const pool = this.#pool
    const score = this.#scoreOf(entry, keyspace)
    if (pool.length === POOL_MAX && score <= pool[0].score) return
    if (pool.some(candidate => candidate.entry === entry)) return
    let at = pool.length
    while (at > 0 && pool[at - 1].score > score) at--
    pool.splice(at, 0, { db, entry, score })
    if (pool.length > POOL_MAX) pool.shift()
  }

  #scoreOf(entry: KeyEntry, { frequencies, nowMs }: Keyspace): number {
    if (this.policy === 'volatile-ttl') return -entry.expireAtMs
    return frequencies === undefined ? nowMs - entry.accessMs : -frequencies.of(entry, nowMs)
  }
}
