// Storages on a server that speaks Redis' protocol. Used by: whoever opens a storage.
// Every step is one script of lua/queue; this file only knows which keys and arguments it takes and how its answer
// reads.
//
// A command connection of its own: a request that was on the way when the connection broke fails at once (its caller
// decides what to repeat), and while the server is away requests fail after a few attempts instead of queuing up.

import { Redis } from 'ioredis'
import type { RedisOptions } from 'ioredis'
import { LuaScripts } from '../client/lua-scripts.js'
import type { ScriptArgument, ScriptCall } from '../client/lua-scripts.js'
import { doubledMs } from '../client/waiting.js'
import type { ExpirationPolicy } from './expiration.js'
import { NEVER, policyFrom, policyText } from './expiration.js'
import { queuedRecord, storedRecord } from './message-record.js'
import type {
  DeliveredMessage,
  EnqueueBatch,
  EnqueueResult,
  QueueBackend,
  QueueCounts,
  QueueExpiry,
  QueueInfo,
  QueueSettings,
  Receipt,
  SettleOutcome,
  SettleStep,
  StorageExpiry,
  StoredMessage,
  Wake,
} from './queue-backend.js'
import type { FoundState, MessageState } from './queue-errors.js'
import { storageError, StorageFailure } from './queue-errors.js'
import { queueKeys, STORAGES_KEY, storageKeys } from './queue-keys.js'
import { WakeChannels } from './wake-channels.js'

type QueueScript =
  | 'declare'
  | 'declare-queue'
  | 'destroy'
  | 'destroy-queue'
  | 'enqueue'
  | 'expire-queue'
  | 'expire-storage'
  | 'fetch'
  | 'policy'
  | 'return'
  | 'settle'
  | 'store'

const SCRIPTS = LuaScripts.from<QueueScript>(new URL('../../lua/queue/', import.meta.url))
/** Leases that one fetch ends at most; the rest waits for the next one or for the sweep. */
const RETURNED_PER_FETCH = 100
const RECORDS_PER_CALL = 1000
const RECONNECT_FIRST_MS = 20
const RECONNECT_MAX_MS = 1000

const CONNECTION: RedisOptions = {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 2,
  retryStrategy: attempt => doubledMs(attempt, RECONNECT_FIRST_MS, RECONNECT_MAX_MS),
}

export class RedisBackend implements QueueBackend {
  readonly kind = 'redis'
  readonly #redis: Redis
  readonly #channels: WakeChannels

  /** @param where a client to take the address and the rights from (it stays the caller's), or options of ioredis */
  constructor(where: Redis | RedisOptions) {
    const options = where instanceof Redis ? where.options : where
    this.#redis = new Redis({ ...options, ...CONNECTION, lazyConnect: false })
    // Without a listener ioredis prints; failures reach the caller with the request they ended.
    this.#redis.on('error', () => undefined)
    this.#channels = new WakeChannels(() => new Redis({ ...options, ...CONNECTION, maxRetriesPerRequest: null }))
  }

  async declareStorage(storage: string): Promise<boolean> {
    const { meta } = storageKeys(storage)
    // The name first: a crash in between leaves a listed storage that the next declaration completes.
    await this.#call('declareStorage', redis => redis.sadd(STORAGES_KEY, storage))
    return (await this.#run('declareStorage', 'declare', [meta], [policyText(NEVER)])) === 1
  }

  async listStorages(): Promise<string[]> {
    return (await this.#call('listStorages', redis => redis.smembers(STORAGES_KEY))).sort()
  }

  async destroyStorage(storage: string): Promise<boolean> {
    const { meta, msgs, counter, byTime, queues, watermark } = storageKeys(storage)
    for (;;) {
      const names = await this.#call('destroyStorage', redis => redis.hkeys(queues))
      const ofQueues = names.flatMap(name => ownKeys(storage, name))
      const keys = [queues, meta, msgs, counter, byTime, watermark, ...ofQueues]
      const removed = Number(await this.#run('destroyStorage', 'destroy', keys, names))
      if (removed < 0) continue
      const listed = await this.#call('destroyStorage', redis => redis.srem(STORAGES_KEY, storage))
      return removed > 0 || listed === 1
    }
  }

  async policy(storage: string): Promise<ExpirationPolicy> {
    const { meta } = storageKeys(storage)
    const text = await this.#call('policy', redis => redis.hget(meta, 'expirationPolicy'))
    if (text === null) throw new StorageFailure('gone', 'policy', new Error(`there is no storage '${storage}'`))
    return policyFrom(text)
  }

  async setPolicy(storage: string, policy: ExpirationPolicy): Promise<void> {
    await this.#run('setPolicy', 'policy', [storageKeys(storage).meta], [policyText(policy)])
  }

  async store(storage: string, producer: string, sequence: number, bodies: readonly Buffer[]) {
    const { meta, msgs, counter, byTime, channel } = storageKeys(storage)
    const args = [channel, producer, sequence, ...bodies]
    const answer = (await this.#run('store', 'store', [meta, msgs, counter, byTime], args)) as Buffer[]
    return { firstUid: Number(answer[0]), publishedUs: Number(answer[1]) }
  }

  async forgetProducer(storage: string, producer: string): Promise<void> {
    await this.#call('forgetProducer', redis => redis.hdel(storageKeys(storage).meta, `p:${producer}`))
  }

  async read(storage: string, after: number, limit: number): Promise<{ messages: StoredMessage[]; through: number }> {
    const { msgs } = storageKeys(storage)
    const last = await this.lastUid(storage)
    const through = Math.min(last, after + limit)
    if (through <= after) return { messages: [], through: after }
    const uids = Array.from({ length: through - after }, (_, i) => after + 1 + i)
    const records = await this.#call('read', redis => recordsOf(redis, msgs, uids.map(String)))
    const messages: StoredMessage[] = []
    records.forEach((record, i) => {
      if (record === null) return
      messages.push({ uid: uids[i], ...storedRecord(`message ${uids[i]} of ${msgs}`, record) })
    })
    // A slice of nothing but expired messages: go on where the oldest one is, however far that lies.
    if (messages.length === 0) return this.#readFromOldest(storage, through, last, limit)
    return { messages, through }
  }

  async #readFromOldest(storage: string, after: number, last: number, limit: number) {
    const { byTime } = storageKeys(storage)
    const [oldest] = await this.#call('read', redis => redis.zrange(byTime, '0', '0'))
    if (oldest === undefined) return { messages: [], through: last }
    return Number(oldest) > after + 1 ? this.read(storage, Number(oldest) - 1, limit) : { messages: [], through: after }
  }

  async lastUid(storage: string): Promise<number> {
    return Number((await this.#call('lastUid', redis => redis.get(storageKeys(storage).counter))) ?? 0)
  }

  async messageCount(storage: string): Promise<number> {
    return this.#call('messageCount', redis => redis.hlen(storageKeys(storage).msgs))
  }

  async declareQueue(storage: string, queue: string, settings: QueueSettings, from: 'start' | 'end') {
    const { meta, queues, watermark, counter, channel } = storageKeys(storage)
    const keys = [meta, queues, watermark, counter]
    const args = [queue, JSON.stringify(settings), from, channel]
    return (await this.#run('declareQueue', 'declare-queue', keys, args)) === 1
  }

  async destroyQueue(storage: string, queue: string): Promise<boolean> {
    const { meta, queues, watermark, channel } = storageKeys(storage)
    const keys = [meta, queues, watermark, ...ownKeys(storage, queue)]
    return (await this.#run('destroyQueue', 'destroy-queue', keys, [queue, channel])) === 1
  }

  async listQueues(storage: string): Promise<QueueInfo[]> {
    const { queues, watermark } = storageKeys(storage)
    const [settings, marks] = await this.#call('listQueues', redis =>
      Promise.all([redis.hgetall(queues), redis.hgetall(watermark)]),
    )
    return Object.entries(settings)
      .map(([name, text]) => ({
        name,
        settings: JSON.parse(text) as QueueSettings,
        watermark: Number(marks[name] ?? 0),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async enqueue(storage: string, batches: readonly EnqueueBatch[]): Promise<(EnqueueResult | undefined)[]> {
    const { meta, queues, watermark } = storageKeys(storage)
    const calls = batches.map(({ queue, from, to, accepted }): ScriptCall<QueueScript> => {
      const { msgs, counter, idle, channel } = queueKeys(storage, queue)
      const args: ScriptArgument[] = [queue, from, to, channel]
      for (const { uid, publishedUs, body } of accepted) args.push(uid, publishedUs, body)
      return { script: 'enqueue', keys: [meta, queues, watermark, msgs, counter, idle], args }
    })
    const outcomes = await this.#call('enqueue', redis => SCRIPTS.runAll(redis, calls))
    return outcomes.map(({ reply, error }) => {
      if (error !== undefined) throw storageError('enqueue', error)
      const [moved, mark] = reply as [number, Buffer]
      return moved < 0 ? undefined : { moved: moved === 1, watermark: Number(mark) }
    })
  }

  async fetch(storage: string, queue: string, count: number) {
    const { meta, queues } = storageKeys(storage)
    const { msgs, idle, consuming } = queueKeys(storage, queue)
    const keys = [meta, queues, msgs, idle, consuming]
    const answer = await this.#run('fetch', 'fetch', keys, [queue, count, RETURNED_PER_FETCH])
    const [time, returned, ...rest] = answer as [Buffer, number, ...(Buffer | null)[]]
    const messages: DeliveredMessage[] = []
    for (let i = 0; i < rest.length; i += 2) {
      const record = rest[i + 1]
      if (record !== null) messages.push(delivered(msgs, Number(rest[i]), Number(time), record))
    }
    return { messages, returned }
  }

  async settle(storage: string, queue: string, step: SettleStep, receipts: readonly Receipt[]) {
    const { meta, queues } = storageKeys(storage)
    const { msgs, idle, consuming, confirmed, dropped, channel } = queueKeys(storage, queue)
    const args: ScriptArgument[] = [step, queue, channel]
    for (const { uid, receiptUs } of receipts) args.push(uid, receiptUs)
    const keys = [meta, queues, msgs, idle, consuming, confirmed, dropped]
    const [time, ...found] = (await this.#run('settle', 'settle', keys, args)) as Buffer[]
    return found.map((bytes): SettleOutcome => {
      const text = bytes.toString()
      return text === 'done' ? { done: true, receiptUs: Number(time) } : { done: false, found: text as FoundState }
    })
  }

  async returnExpired(storage: string, queue: string, limit: number): Promise<number> {
    const { meta, queues } = storageKeys(storage)
    const { msgs, idle, consuming, channel } = queueKeys(storage, queue)
    const keys = [meta, queues, msgs, idle, consuming]
    return Number(await this.#run('returnExpired', 'return', keys, [queue, limit, channel]))
  }

  async expireStorage(storage: string, policy: ExpirationPolicy, limit: number): Promise<StorageExpiry> {
    if (policy.kind === 'never') return { removed: 0, undistributed: 0 }
    const { meta, msgs, byTime, watermark } = storageKeys(storage)
    const args = [...policyWords(policy), limit]
    const answer = await this.#run('expireStorage', 'expire-storage', [meta, msgs, byTime, watermark], args)
    const [removed, undistributed] = answer as number[]
    return { removed, undistributed }
  }

  async expireQueue(
    storage: string,
    queue: string,
    policy: ExpirationPolicy,
    cursor: number,
    limit: number,
  ): Promise<QueueExpiry> {
    if (policy.kind === 'never') return { removed: 0, next: undefined }
    const { meta } = storageKeys(storage)
    const { msgs, counter, idle, consuming, confirmed, dropped } = queueKeys(storage, queue)
    const keys = [meta, msgs, counter, idle, consuming, confirmed, dropped]
    const args = [queue, ...policyWords(policy), cursor, limit]
    const [removed, next] = (await this.#run('expireQueue', 'expire-queue', keys, args)) as [number, Buffer]
    return { removed, next: Number(next) < 0 ? undefined : Number(next) }
  }

  async counts(storage: string, queue: string): Promise<QueueCounts> {
    const { msgs, idle, consuming, confirmed, dropped } = queueKeys(storage, queue)
    const [total, ...states] = await this.#call('counts', async redis => {
      const transaction = redis.multi().hlen(msgs)
      for (const key of [idle, consuming, confirmed, dropped]) transaction.zcard(key)
      return ((await transaction.exec()) ?? []).map(([error, count]) => {
        if (error) throw error
        return count as number
      })
    })
    return { total, idle: states[0], consuming: states[1], confirmed: states[2], dropped: states[3] }
  }

  async list(storage: string, queue: string, state: MessageState, limit: number): Promise<DeliveredMessage[]> {
    const keys = queueKeys(storage, queue)
    const members = await this.#call('list', redis => redis.zrange(keys[state], '0', String(limit - 1), 'WITHSCORES'))
    const uids = members.filter((_, i) => i % 2 === 0)
    const records = await this.#call('list', redis => recordsOf(redis, keys.msgs, uids))
    return records.flatMap((record, i) =>
      record === null ? [] : [delivered(keys.msgs, Number(uids[i]), Number(members[2 * i + 1]), record)],
    )
  }

  async subscribe(storage: string, queue: string | undefined, wake: (wake: Wake) => void) {
    const { channel } = queue === undefined ? storageKeys(storage) : queueKeys(storage, queue)
    return this.#call('subscribe', () =>
      this.#channels.listen(channel, text => {
        if (queue !== undefined) wake({ kind: 'enqueued', queue })
        else if (text === 'queues') wake({ kind: 'queues' })
        else wake({ kind: 'stored', lastUid: text === '' ? undefined : Number(text) })
      }),
    )
  }

  async dispose(): Promise<void> {
    this.#channels.close()
    this.#redis.disconnect()
  }

  #run(operation: string, script: QueueScript, keys: readonly string[], args: readonly ScriptArgument[]) {
    return this.#call(operation, redis => SCRIPTS.run(redis, script, keys, args))
  }

  async #call<T>(operation: string, request: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      return await request(this.#redis)
    } catch (error) {
      throw storageError(operation, error as Error)
    }
  }
}

/** In slices: one request for any number would hold the server, and has more arguments than a call may have. */
async function recordsOf(redis: Redis, key: string, uids: readonly string[]): Promise<(Buffer | null)[]> {
  const slices: Promise<(Buffer | null)[]>[] = []
  for (let from = 0; from < uids.length; from += RECORDS_PER_CALL) {
    slices.push(redis.hmgetBuffer(key, ...uids.slice(from, from + RECORDS_PER_CALL)))
  }
  return (await Promise.all(slices)).flat()
}

function ownKeys(storage: string, queue: string): string[] {
  const { msgs, counter, idle, consuming, confirmed, dropped } = queueKeys(storage, queue)
  return [msgs, counter, idle, consuming, confirmed, dropped]
}

function policyWords(policy: Exclude<ExpirationPolicy, { kind: 'never' }>): ScriptArgument[] {
  return policy.kind === 'after' ? ['after', Math.round(policy.seconds * 1e6)] : ['last', policy.count]
}

function delivered(key: string, uid: number, receiptUs: number, record: Buffer): DeliveredMessage {
  return { uid, receiptUs, ...queuedRecord(`message ${uid} of ${key}`, record) }
}
