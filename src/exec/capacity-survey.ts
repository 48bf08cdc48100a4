// What all streams take together: what they keep for replay and what for deliveries. A walk through the key directory
// in slices, begun when somebody asks, whose last result is told: a sum kept at every append would cost each of them,
// and the figures of streams that nobody uses stand on the disk only. Used by: memory-control, for INFO capacity.
//
// Invariant: streams that are not loaded are read by rows of the walk's own, so that a look at all of them leaves
// nothing in memory.

import type { Clock } from '../base/clock.js'
import { unlessDamaged } from '../base/errors.js'
import { ReadRows } from '../store/read-rows.js'
import type { Rows } from '../store/rows.js'
import type { KeyEntry, Keyspace } from '../types/keyspace.js'
import { Stream } from '../types/stream/stream.js'
import type { StreamCapacity } from '../types/stream/stream.js'

export interface SurveyHost {
  readonly clock: Clock
  keyspace(): Keyspace
  /** The store itself. */
  rows(): Pick<Rows, 'read' | 'scan'>
  /** Runs work between commands. */
  background(work: () => void): void
  /** False while data are being loaded or opened again. */
  mayRun(): boolean
}

const SLICE_US = 2000
/** While it goes on it takes a tenth of the time. */
const PAUSE_MS = 20
const KEYS_PER_STEP = 16
/** A result is good for so long, and for so many times as long as it took. */
const FRESH_US = 1_000_000
const FRESH_FACTOR = 20

const NONE: StreamCapacity = {
  payloadEntries: 0,
  payloadBytes: 0,
  payloadBytesCached: 0,
  groups: 0,
  consumers: 0,
  pending: 0,
  deliveryBytes: 0,
}
const FIELDS = Object.keys(NONE) as (keyof StreamCapacity)[]

interface Walk {
  readonly keyspace: Keyspace
  readonly startedUs: number
  database: number
  cursor: bigint
  streams: number
  unreadable: number
  readonly sums: Record<keyof StreamCapacity, number>
}

export class CapacitySurvey {
  readonly #host: SurveyHost
  #walk: Walk | undefined
  #last: (Walk & { readonly endedUs: number }) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(host: SurveyHost) {
    this.#host = host
  }

  /** Sums of all streams: of the last walk that ended, and how old they are. Begins another when they are too old. */
  infoFields(): Record<string, number> {
    this.#ask()
    const nowUs = this.#host.clock.monotonicUs()
    const last = this.#last
    const fields: Record<string, number> = {
      capacity_survey_running: this.#walk === undefined ? 0 : 1,
      capacity_survey_age_ms: last === undefined ? -1 : Math.round((nowUs - last.endedUs) / 1000),
      capacity_streams: last?.streams ?? 0,
      capacity_streams_unreadable: last?.unreadable ?? 0,
    }
    for (const field of FIELDS) {
      fields[`capacity_${field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)}`] = last?.sums[field] ?? 0
    }
    return fields
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#walk = undefined
  }

  #ask(): void {
    if (this.#walk !== undefined) return
    const nowUs = this.#host.clock.monotonicUs()
    const last = this.#last
    if (last !== undefined && nowUs - last.endedUs < FRESH_US) return
    if (last !== undefined && nowUs - last.endedUs < FRESH_FACTOR * (last.endedUs - last.startedUs)) return
    const keyspace = this.#host.keyspace()
    const sums = { ...NONE }
    this.#walk = { keyspace, startedUs: nowUs, database: 0, cursor: 0n, streams: 0, unreadable: 0, sums }
    // Of few keys whoever asks is told at once.
    if (this.#host.mayRun()) this.#slice()
    if (this.#walk !== undefined) this.#goOn()
  }

  #goOn(): void {
    this.#timer = setTimeout(() => {
      if (this.#walk !== undefined && this.#host.mayRun()) this.#host.background(() => this.#slice())
      if (this.#walk !== undefined) this.#goOn()
    }, PAUSE_MS).unref()
  }

  #slice(): void {
    const walk = this.#walk!
    if (walk.keyspace !== this.#host.keyspace()) return this.stop()
    // It reads for itself, also inside the command that asks.
    const { misses } = walk.keyspace.rows
    const { armed } = misses
    misses.armed = false
    this.#look(walk)
    misses.armed = armed
  }

  #look(walk: Walk): void {
    const { clock } = this.#host
    const cold = new ReadRows(this.#host.rows())
    const untilUs = clock.monotonicUs() + SLICE_US
    do {
      const { cursor, entries } = walk.keyspace.database(walk.database).look(walk.cursor, KEYS_PER_STEP)
      for (const entry of entries) if (entry.type === 'stream') add(walk, entry, cold)
      walk.cursor = cursor
      if (cursor === 0n && ++walk.database === walk.keyspace.databases.length) {
        this.#last = { ...walk, endedUs: clock.monotonicUs() }
        this.#walk = undefined
        return
      }
    } while (clock.monotonicUs() < untilUs)
  }
}

function add(walk: Walk, entry: KeyEntry, cold: ReadRows): void {
  walk.streams++
  const stream = () => (entry.loaded ? (entry.value as Stream) : Stream.load(cold, entry.objectId))
  const capacity = unlessDamaged(() => stream().capacity(), undefined)
  if (capacity === undefined) walk.unreadable++
  else for (const field of FIELDS) walk.sums[field] += capacity[field]
}
