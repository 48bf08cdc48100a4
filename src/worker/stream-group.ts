// One consumer of one consumer group, as a client of the server: reads, claims, acknowledges, and the scripts between.
// Used by: worker, reconcile. Knows nothing of jobs.
//
// Two connections of its own: `reader` waits in XREADGROUP BLOCK, `redis` does everything else. What was on the way
// when a connection broke fails at once: a read that was lost is made good by the claim, an acknowledgement is
// repeated.

import { Redis } from 'ioredis'
import type { RedisOptions } from 'ioredis'
import type { ScriptArgument } from '../client/lua-scripts.js'
import { doubledMs } from '../client/waiting.js'
import { WORKER_SCRIPTS } from './worker-scripts.js'
import type { WorkerScript } from './worker-scripts.js'

export interface Entry {
  readonly id: string
  /** Names and values by turns, as stored. */
  readonly words: readonly Buffer[]
  /** How often it was delivered, this delivery included. */
  readonly deliveries: number
}

export interface Claimed {
  /** '0-0' when the end was reached. */
  readonly cursor: string
  readonly entries: readonly Entry[]
  /** Pending entries whose payload was deleted or trimmed; they are not pending any more. */
  readonly gone: readonly string[]
}

export interface Letter {
  readonly id: string
  readonly reason: string
  readonly deliveries: number
  readonly words: readonly ScriptArgument[]
}

const RECONNECT_FIRST_MS = 20
const RECONNECT_MAX_MS = 1000
const CONNECTION: RedisOptions = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 2,
  retryStrategy: attempt => doubledMs(attempt, RECONNECT_FIRST_MS, RECONNECT_MAX_MS),
  // Replies are read here as RESP2 arrays.
  protocol: 2,
}
const EXISTS_BATCH = 100

export class StreamGroup {
  readonly redis: Redis
  readonly #reader: Redis
  /** Whether XREADGROUP takes CLAIM; undefined until it was tried. */
  #readClaims: boolean | undefined
  /** The reader's connection as the server numbers it; another one after each reconnect. */
  #readerId: number | undefined

  constructor(
    where: Redis | RedisOptions,
    readonly stream: string,
    readonly group: string,
    readonly consumer: string,
    /** Whether reads try to claim as well. */
    readClaims = true,
  ) {
    const options = where instanceof Redis ? where.options : where
    if (!readClaims) this.#readClaims = false
    this.redis = new Redis({ ...options, ...CONNECTION })
    this.#reader = new Redis({ ...options, ...CONNECTION })
    // Without a listener ioredis prints; failures reach the caller with the request they ended.
    for (const client of [this.redis, this.#reader]) client.on('error', () => undefined)
    this.#reader.on('close', () => (this.#readerId = undefined))
  }

  /** Whether reads claim idle entries as well; undefined until the first read. */
  get readClaims(): boolean | undefined {
    return this.#readClaims
  }

  /** @returns whether the group was made now */
  async create(position: string): Promise<boolean> {
    try {
      await this.redis.xgroup('CREATE', this.stream, this.group, position, 'MKSTREAM')
      return true
    } catch (error) {
      if ((error as Error).message.startsWith('BUSYGROUP')) return false
      throw error
    }
  }

  /** Delivers from `position` on again. What is pending stays pending. */
  async rewind(position: string): Promise<void> {
    await this.redis.xgroup('SETID', this.stream, this.group, position)
  }

  /**
   * New entries, up to `count`; waits up to `blockMs` for a first one. On a server that can, entries idle for `idleMs`
   * come before them.
   */
  async read(count: number, blockMs: number, idleMs: number): Promise<Entry[]> {
    this.#readerId ??= await this.#reader.client('ID')
    const words: (string | number)[] = ['GROUP', this.group, this.consumer, 'COUNT', count, 'BLOCK', blockMs]
    const tail = ['STREAMS', this.stream, '>']
    if (this.#readClaims !== false) {
      try {
        const reply = await this.#reader.callBuffer('XREADGROUP', [...words, 'CLAIM', idleMs, ...tail])
        this.#readClaims = true
        return await this.#withDeliveries(reply)
      } catch (error) {
        if (this.#readClaims === true || !/^ERR.*(syntax|CLAIM|Unrecognized)/i.test((error as Error).message))
          throw error
        this.#readClaims = false
      }
    }
    return entriesOf(await this.#reader.callBuffer('XREADGROUP', [...words, ...tail])).map(({ id, words }) => ({
      id,
      words,
      deliveries: 1,
    }))
  }

  /** Makes a read that waits answer at once; nothing when none waits. */
  async wakeReader(): Promise<void> {
    if (this.#readerId !== undefined) await this.redis.client('UNBLOCK', this.#readerId)
  }

  async acknowledge(ids: readonly string[]): Promise<void> {
    await this.redis.xack(this.stream, this.group, ...ids)
  }

  async claim(idleMs: number, cursor: string, count: number): Promise<Claimed> {
    const reply = await this.#run('claim', [this.stream], [this.group, this.consumer, idleMs, cursor, count])
    const [next, entries, gone] = reply as [Buffer, RawEntry[], Buffer[]]
    return { cursor: next.toString(), entries: entries.map(entryFrom), gone: gone.map(String) }
  }

  /** Ids of this consumer's own pending entries, from the start; a consumer that came back finds its old ones. */
  async ownPending(count: number): Promise<string[]> {
    const rows = await this.redis.xpending(this.stream, this.group, '-', '+', count, this.consumer)
    return (rows as [string][]).map(([id]) => id)
  }

  async redeliver(ids: readonly string[]) {
    const reply = await this.#run('redeliver', [this.stream], [this.group, this.consumer, ...ids])
    const [entries, lost, gone] = reply as [RawEntry[], Buffer[], Buffer[]]
    return { entries: entries.map(entryFrom), lost: lost.map(String), gone: gone.map(String) }
  }

  async heartbeat(ids: readonly string[]): Promise<{ lost: string[]; gone: string[] }> {
    const reply = await this.#run('heartbeat', [this.stream], [this.group, this.consumer, ...ids])
    const [lost, gone] = reply as [Buffer[], Buffer[]]
    return { lost: lost.map(String), gone: gone.map(String) }
  }

  /** @returns how many were still ours and are claimable now */
  async handBack(jobs: readonly { id: string; begun: boolean }[], idleMs: number): Promise<number> {
    if (jobs.length === 0) return 0
    const words = jobs.flatMap(({ id, begun }) => [id, begun ? '0' : '1'])
    return Number(await this.#run('hand-back', [this.stream], [this.group, this.consumer, idleMs, ...words]))
  }

  /** @returns the dead letter's id; undefined when the entry is not ours any more */
  async deadLetter(key: string, letter: Letter): Promise<string | undefined> {
    const { id, reason, deliveries, words } = letter
    const args = [this.group, this.consumer, id, reason, deliveries, ...words]
    const reply = await this.#run('dead-letter', [this.stream, key], args)
    return reply === null ? undefined : String(reply)
  }

  async retire(afterMs: number, idleMs: number, limit: number): Promise<{ retired: string[]; handedBack: number }> {
    const reply = await this.#run('retire', [this.stream], [this.group, this.consumer, afterMs, idleMs, limit])
    const [retired, handedBack] = reply as [Buffer[], number]
    return { retired: retired.map(String), handedBack }
  }

  /** Removes this consumer unless something is pending with it. */
  async leave(): Promise<boolean> {
    return (await this.#run('leave', [this.stream], [this.group, this.consumer])) === 1
  }

  /** Which of the entries can still be read. */
  async exist(ids: readonly string[]): Promise<boolean[]> {
    const found: boolean[] = []
    for (let from = 0; from < ids.length; from += EXISTS_BATCH) {
      const pipeline = this.redis.pipeline()
      for (const id of ids.slice(from, from + EXISTS_BATCH)) pipeline.xrange(this.stream, id, id, 'COUNT', 1)
      for (const [error, entries] of (await pipeline.exec()) ?? []) {
        if (error) throw error
        found.push((entries as unknown[]).length > 0)
      }
    }
    return found
  }

  async add(words: readonly (string | Buffer)[]): Promise<string> {
    return (await this.redis.xadd(this.stream, '*', ...words))!
  }

  async remove(id: string): Promise<void> {
    await this.redis.xdel(this.stream, id)
  }

  /** Takes a short-lived key; false when somebody else has it. */
  async lock(name: string, ms: number): Promise<boolean> {
    return (await this.redis.set(`${this.stream}:${this.group}:${name}`, this.consumer, 'PX', ms, 'NX')) === 'OK'
  }

  async unlock(name: string): Promise<void> {
    await this.redis.del(`${this.stream}:${this.group}:${name}`)
  }

  close(): void {
    this.#reader.disconnect()
    this.redis.disconnect()
  }

  async #withDeliveries(reply: unknown): Promise<Entry[]> {
    const entries = entriesOf(reply)
    // Servers do not agree whether the count of a claimed entry includes this delivery: ask for those.
    const claimed = entries.filter(({ claimed }) => claimed).map(({ id }) => id)
    if (claimed.length === 0) return entries.map(({ id, words }) => ({ id, words, deliveries: 1 }))
    const counts = (await this.#run('deliveries', [this.stream], [this.group, ...claimed])) as number[]
    const byId = new Map(claimed.map((id, i) => [id, counts[i]]))
    return entries.map(({ id, words }) => ({ id, words, deliveries: byId.get(id) ?? 1 }))
  }

  #run(script: WorkerScript, keys: readonly string[], args: readonly ScriptArgument[]): Promise<unknown> {
    return WORKER_SCRIPTS.run(this.redis, script, keys, args)
  }
}

type RawEntry = readonly [Buffer, Buffer[], number]

function entryFrom([id, words, deliveries]: RawEntry): Entry {
  return { id: id.toString(), words, deliveries }
}

/** The entries of XREADGROUP for one stream. With CLAIM a taken over entry carries how often it was delivered. */
function entriesOf(reply: unknown): { id: string; words: Buffer[]; claimed: boolean }[] {
  if (reply === null) return []
  const [[, entries]] = reply as [[Buffer, [Buffer, Buffer[] | null, number?, number?][]]]
  return entries.map(([id, words, , deliveries]) => ({
    id: id.toString(),
    words: words ?? [],
    claimed: (deliveries ?? 0) > 0,
  }))
}
