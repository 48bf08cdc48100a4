// Joins what is done about memory - the guard, the clients' sums, the choice of keys - with the configuration and the
// parts of the server they look at. Used by: server.ts.

import type { Clock } from '../base/clock.js'
import type { Config } from '../base/config.js'
import type { Log } from '../base/log.js'
import { randomBelow } from '../base/random.js'
import type { Scripts } from '../commands/scripts.js'
import type { Store } from '../store/store.js'
import { Frequencies } from '../types/access.js'
import type { Keyspace } from '../types/keyspace.js'
import { ClientMemory } from './client-memory.js'
import { Eviction } from './eviction.js'
import { CapacitySurvey } from './capacity-survey.js'
import type { Executor } from './executor.js'
import { GcWatch } from './gc-watch.js'
import { IdleMemory } from './idle-memory.js'
import type { Latency } from './latency.js'
import { MemoryGuard } from './memory-guard.js'
import type { SessionRegistry } from './session-registry.js'
import type { ServerStats } from './stats.js'

export interface MemoryControlHost {
  readonly clock: Clock
  readonly config: Config
  readonly log: Log
  readonly latency: Latency
  readonly stats: ServerStats
  readonly sessions: SessionRegistry
  /** The present ones: they are made later, and a reload brings another store. */
  executor(): Executor
  store(): Store
  scripts(): Scripts
  /** False while no key may go by itself. */
  mayEvict(): boolean
}

const RANDOM_STEPS = 2 ** 32

/** A number in [0, 1). */
function randomPart(): number {
  return randomBelow(RANDOM_STEPS) / RANDOM_STEPS
}

export class MemoryControl {
  readonly clients: ClientMemory
  readonly guard: MemoryGuard
  readonly capacity: CapacitySurvey
  readonly #host: MemoryControlHost
  readonly #eviction = new Eviction(randomPart)
  readonly #frequencies = new Frequencies(randomPart)
  readonly #collections: GcWatch
  readonly #idle: IdleMemory

  constructor(host: MemoryControlHost) {
    this.#host = host
    this.#collections = new GcWatch(ms => host.latency.sample('gc', ms, host.clock.nowMs()))
    this.#idle = new IdleMemory({
      commands: () => host.stats.commandsProcessed,
      took: ms => host.latency.sample('memory-trim', ms, host.clock.nowMs()),
      nowUs: () => host.clock.monotonicUs(),
    })
    this.clients = new ClientMemory({
      sessions: host.sessions,
      log: host.log,
      evicted: () => host.stats.evictedClients++,
    })
    this.capacity = new CapacitySurvey({
      clock: host.clock,
      keyspace: () => host.executor().keyspace,
      rows: () => host.store(),
      background: work => host.executor().background(work),
      mayRun: () => !host.executor().loading && !host.executor().held && !host.executor().busyClients.active,
    })
    const { values } = host.config
    this.guard = new MemoryGuard({
      clock: host.clock,
      clients: this.clients,
      eviction: this.#eviction,
      keyspace: () => host.executor().keyspace,
      cache: () => host.store().cache,
      luaBytes: () => host.scripts().memoryBytes,
      mayEvict: () => host.mayEvict() && !host.executor().busyClients.active,
      background: work => host.executor().background(work),
      evict: ({ db, entry }) =>
        host.executor().removals.evict(db, entry.name, values.lazyfreeLazyEviction ? 'UNLINK' : 'DEL'),
      wantCheckpoint: () => host.store().wantCheckpoint(),
      took: (event, ms) => host.latency.sample(event, ms, host.clock.nowMs()),
    })
  }

  /** Data and executor are there: limits are kept from now on. */
  start(): void {
    const { config } = this.#host
    const { values } = config
    const { guard } = this
    this.#policyChanged()
    this.#followTuning()
    this.#idle.start()
    guard.bytesMax = values.maxmemory
    guard.clientsMax = values.maxmemoryClients
    config.onChange('maxmemory', bytes => {
      guard.bytesMax = bytes
      guard.clientsMax = values.maxmemoryClients
      this.#host.store().triggers.dirtyBytes = this.dirtyBytesMax
    })
    config.onChange('maxmemory-clients', bytes => (guard.clientsMax = bytes))
    config.onChange('maxmemory-policy', () => this.#policyChanged())
    this.#collections.on = values.latencyMonitorThreshold > 0
    config.onChange('latency-monitor-threshold', ms => (this.#collections.on = ms > 0))
    config.onChange('checkpoint-dirty-bytes', () => (this.#host.store().triggers.dirtyBytes = this.dirtyBytesMax))
  }

  #followTuning(): void {
    const { config } = this.#host
    const { values } = config
    const tune = (): void => {
      this.guard.tenacity = values.maxmemoryEvictionTenacity
      this.#eviction.samples = values.maxmemorySamples
      this.#eviction.groupedStreams = values.maxmemoryEvictGroupedStreams
      this.#frequencies.logFactor = values.lfuLogFactor
      this.#frequencies.decayMinutes = values.lfuDecayTime
    }
    tune()
    config.onChange('maxmemory-eviction-tenacity', tune)
    config.onChange('maxmemory-samples', tune)
    config.onChange('maxmemory-evict-grouped-streams', tune)
    config.onChange('lfu-log-factor', tune)
    config.onChange('lfu-decay-time', tune)
  }

  /** A keyspace that was just made is used from now on. */
  adopt(keyspace: Keyspace): void {
    const { maxmemoryPolicy } = this.#host.config.values
    keyspace.frequencies = maxmemoryPolicy.endsWith('-lfu') ? this.#frequencies : undefined
    this.#eviction.reset()
  }

  #policyChanged(): void {
    this.#eviction.policy = this.#host.config.values.maxmemoryPolicy
    this.adopt(this.#host.executor().keyspace)
  }

  /** Changed bytes that start a checkpoint: what is changed cannot leave memory, so it may take half of it at most. */
  get dirtyBytesMax(): number {
    const { maxmemory, checkpointDirtyBytes } = this.#host.config.values
    return maxmemory === 0 ? checkpointDirtyBytes : Math.min(checkpointDirtyBytes, Math.ceil(maxmemory / 2))
  }

  infoFields(): Record<string, number> {
    const { guard } = this
    return {
      used_memory: guard.usedBytes,
      used_memory_peak: guard.peakBytes,
      total_eviction_exceeded_time: guard.exceededTotalMs,
      current_eviction_exceeded_time: guard.exceededNowMs,
    }
  }

  purge(): void {
    this.#idle.purge()
  }

  stop(): void {
    this.capacity.stop()
    this.guard.stop()
    this.#idle.stop()
    this.#collections.on = false
  }
}
