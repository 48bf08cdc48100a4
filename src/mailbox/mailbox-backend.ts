// A mailbox service's three parts on one backend. Used by: index, materializer, mailbox-reader.

import type { Redis } from 'ioredis'
import type { Clock } from '../base/clock.js'
import { MailboxKeys } from './mailbox-keys.js'
import type { BetweenReads, MailboxStore } from './mailbox-store.js'
import { MemoryRegistry } from './memory-registry.js'
import { MemoryShards } from './memory-shards.js'
import { MemoryMailboxStore } from './memory-store.js'
import { MemoryWatermarks } from './memory-watermarks.js'
import { RedisRegistry } from './redis-registry.js'
import type { RegistryOptions } from './redis-registry.js'
import { RedisMailboxStore } from './redis-store.js'
import { RedisWatermarks } from './redis-watermarks.js'
import type { ShardRegistry } from './shard-registry.js'
import { StreamsMailboxStore } from './streams-store.js'
import type { Watermarks } from './watermarks.js'

export interface Mailbox<Store extends MailboxStore = MailboxStore> {
  readonly registry: ShardRegistry
  readonly watermarks: Watermarks
  readonly store: Store
}

export interface MemoryMailboxOptions {
  readonly clock: Clock
  /** Seconds from the beginning of an event's UTC day until it expires; at most 31 days. */
  readonly retentionS: number
  readonly betweenReads?: BetweenReads
}

export interface ServerMailboxOptions extends MemoryMailboxOptions {
  /** In front of all keys; empty. */
  readonly keyPrefix?: string
  readonly durability?: RegistryOptions['durability']
  readonly earlierDispatchesS?: number
  /** For tests: how far the scripts' clock runs ahead of the server's. */
  readonly clockAheadS?: () => number
}

export function memoryMailbox(options: MemoryMailboxOptions): Mailbox<MemoryMailboxStore> {
  const shards = new MemoryShards()
  return {
    registry: new MemoryRegistry(shards, options.clock),
    watermarks: new MemoryWatermarks(shards),
    store: new MemoryMailboxStore(shards, options),
  }
}

/** Day buckets in sorted sets; on redis-server 7 and on Millrace. */
export function redisMailbox(client: Redis, options: ServerMailboxOptions): Mailbox<RedisMailboxStore> {
  const keys = new MailboxKeys(options.keyPrefix)
  return { ...serverParts(client, keys, options), store: new RedisMailboxStore(client, { ...options, keys }) }
}

/** One stream per user and epoch; on Millrace and on redis-server 7. */
export function streamsMailbox(client: Redis, options: ServerMailboxOptions): Mailbox<StreamsMailboxStore> {
  const keys = new MailboxKeys(options.keyPrefix)
  return { ...serverParts(client, keys, options), store: new StreamsMailboxStore(client, { ...options, keys }) }
}

function serverParts(client: Redis, keys: MailboxKeys, options: ServerMailboxOptions) {
  const { clock, durability, earlierDispatchesS } = options
  return {
    registry: new RedisRegistry(client, { keys, clock, durability, earlierDispatchesS }),
    watermarks: new RedisWatermarks(client, keys),
  }
}
