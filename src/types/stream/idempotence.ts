// The idempotence of a stream: for each producer the IDs it gave its entries lately, so that an entry sent again is
// known. Read when it is first needed: most streams have none. Used by: stream. Uses: producer (a row each).
// A window ends where its duration or its size per producer does, whichever comes first.
//
// Section of the stream's head. Version by that of the head; frozen, see docs/format/stream.md.
// offset  size  field                          offset  size  field
//      0     4  duration, seconds                  16     8  duplicates found, ever
//      4     4  entries per producer               24     4  number of the next producer
//      8     8  entries added with an ID, ever     28     4  producer rows

import { createHash } from 'node:crypto'
import { CorruptionError } from '../../base/errors.js'
import type { StreamId } from '../../base/stream-id.js'
import { Table } from '../../store/row.js'
import type { StoreObject } from '../../store/row.js'
import type { Rows } from '../../store/rows.js'
import { getCount, putCount } from './count.js'
import { DIGEST_BYTES, Producer } from './producer.js'

export const IDEMPOTENCE = {
  DURATION: 0,
  SIZE_MAX: 4,
  ADDED: 8,
  DUPLICATES: 16,
  NEXT_PRODUCER: 24,
  PRODUCERS: 28,
  BYTES: 32,
} as const

export interface IdempotenceLimits {
  /** How long an ID is known. */
  durationS: number
  /** IDs per producer. */
  sizeMax: number
}

export interface IdempotenceFigures extends IdempotenceLimits {
  readonly producers: number
  readonly ids: number
  /** Over the stream's life. */
  readonly added: number
  readonly duplicates: number
}

/** The digest that stands for an idempotent ID as the client gave it. */
export function digestOfId(id: Uint8Array): string {
  return shortened(createHash('sha256').update('m').update(id))
}

/** As digestOfId(), worked out of fields and values: their pairs count, not the order of the pairs. */
export function digestOfPairs(pairs: readonly Uint8Array[]): string {
  const digests: string[] = []
  for (let i = 0; i < pairs.length; i += 2) {
    const length = Buffer.allocUnsafe(4)
    length.writeUInt32BE(pairs[i].length)
    digests.push(
      shortened(
        createHash('sha256')
          .update(length)
          .update(pairs[i])
          .update(pairs[i + 1]),
      ),
    )
  }
  return shortened(createHash('sha256').update('a').update(digests.sort().join(''), 'latin1'))
}

function shortened(hash: ReturnType<typeof createHash>): string {
  return hash.digest().toString('latin1', 0, DIGEST_BYTES)
}

export class Idempotence {
  readonly #rows: Rows
  readonly #object: StoreObject
  readonly #onChange: () => void
  /** Undefined until the first use; then they are the stream's own. */
  #limits: IdempotenceLimits | undefined
  #added = 0
  #duplicates = 0
  #nextProducer = 1
  #stored = 0
  /** By name, the one that went longest without an entry first. Undefined until the rows were read. */
  #producers: Map<string, Producer> | undefined

  /** @param onChange called before the section changes */
  constructor(rows: Rows, object: StoreObject, onChange: () => void, section?: Buffer) {
    this.#rows = rows
    this.#object = object
    this.#onChange = onChange
    if (section === undefined || section.length === 0) return
    if (section.length !== IDEMPOTENCE.BYTES) {
      throw new CorruptionError(`stream ${object.id} has ${section.length} bytes about idempotence`)
    }
    this.#limits = {
      durationS: section.readUInt32BE(IDEMPOTENCE.DURATION),
      sizeMax: section.readUInt32BE(IDEMPOTENCE.SIZE_MAX),
    }
    this.#added = Number(getCount(section, IDEMPOTENCE.ADDED))
    this.#duplicates = Number(getCount(section, IDEMPOTENCE.DUPLICATES))
    this.#nextProducer = section.readUInt32BE(IDEMPOTENCE.NEXT_PRODUCER)
    this.#stored = section.readUInt32BE(IDEMPOTENCE.PRODUCERS)
  }

  /** Undefined when it was never used. */
  encode(): Buffer | undefined {
    if (this.#limits === undefined) return undefined
    const section = Buffer.alloc(IDEMPOTENCE.BYTES)
    section.writeUInt32BE(this.#limits.durationS, IDEMPOTENCE.DURATION)
    section.writeUInt32BE(this.#limits.sizeMax, IDEMPOTENCE.SIZE_MAX)
    putCount(section, IDEMPOTENCE.ADDED, this.#added)
    putCount(section, IDEMPOTENCE.DUPLICATES, this.#duplicates)
    section.writeUInt32BE(this.#nextProducer, IDEMPOTENCE.NEXT_PRODUCER)
    section.writeUInt32BE(this.#producers?.size ?? this.#stored, IDEMPOTENCE.PRODUCERS)
    return section
  }

  /** The entry that the producer sent before under this ID; undefined when it is new, or forgotten. */
  find(producer: string, digest: string, nowMs: number): StreamId | undefined {
    if (this.#limits === undefined) return undefined
    return this.#open().get(producer)?.find(digest, this.#addedMsMin(this.#limits, nowMs))
  }

  /** What a dump tells beside the entries that were added. */
  adopt(limits: IdempotenceLimits, added: number, duplicates: number): void {
    this.#onChange()
    this.#limits = limits
    this.#added = added
    this.#duplicates = duplicates
  }

  /** Counts an entry that was sent again. */
  countDuplicate(): void {
    this.#onChange()
    this.#duplicates++
  }

  /** Notes an entry that was added at `addedMs`. @param defaults taken over at the first use */
  add(producer: string, digest: string, id: StreamId, addedMs: number, defaults: IdempotenceLimits): void {
    this.#note(producer, digest, id, addedMs, defaults)
    this.#added++
  }

  /** Sets limits; those that differ from what was in force end the windows of all producers. True when they do. */
  configure(limits: Partial<IdempotenceLimits>, defaults: IdempotenceLimits): boolean {
    const { durationS, sizeMax } = this.#limits ?? defaults
    const wanted = { durationS: limits.durationS ?? durationS, sizeMax: limits.sizeMax ?? sizeMax }
    const differs = wanted.durationS !== durationS || wanted.sizeMax !== sizeMax
    if (this.#limits !== undefined && !differs) return false
    this.#onChange()
    this.#limits = wanted
    if (!differs) return false
    for (const producer of this.#open().values()) producer.remove()
    this.#open().clear()
    return true
  }

  /** @param defaults in force while it was never used */
  figures(nowMs: number, defaults: IdempotenceLimits): IdempotenceFigures {
    const limits = this.#limits ?? defaults
    const addedMsMin = this.#addedMsMin(limits, nowMs)
    let producers = 0
    let ids = 0
    if (this.#limits !== undefined) {
      for (const producer of this.#open().values()) {
        const known = producer.countFrom(addedMsMin)
        ids += known
        if (known > 0) producers++
      }
    }
    return { ...limits, producers, ids, added: this.#added, duplicates: this.#duplicates }
  }

  copyFrom(source: Idempotence): void {
    if (source.#limits === undefined) return
    this.#onChange()
    this.#limits = { ...source.#limits }
    this.#added = source.#added
    this.#duplicates = source.#duplicates
    for (const producer of source.#open().values()) this.#create(producer.name).copyFrom(producer)
  }

  /** The stream is being dropped: its producers count no more. */
  release(): void {
    if (this.#producers !== undefined) for (const producer of this.#producers.values()) producer.release()
  }

  memoryUsage(): number {
    let bytes = 0
    if (this.#limits !== undefined) for (const producer of this.#open().values()) bytes += producer.memoryUsage()
    return bytes
  }

  /** Whether anything was ever set or noted. */
  get used(): boolean {
    return this.#limits !== undefined
  }

  /** All producers, by name. */
  producers(): readonly Producer[] {
    if (this.#limits === undefined) return []
    return [...this.#open().values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  #note(name: string, digest: string, id: StreamId, addedMs: number, defaults: IdempotenceLimits): void {
    const producers = this.#open()
    this.#onChange()
    const limits = (this.#limits ??= { ...defaults })
    const addedMsMin = this.#addedMsMin(limits, addedMs)
    const producer = producers.get(name) ?? this.#create(name)
    producer.add(digest, id, addedMs, addedMsMin, limits.sizeMax)
    producers.delete(name)
    producers.set(name, producer)
    for (const [old, one] of producers) {
      if (one.lastMs >= addedMsMin) break
      one.remove()
      producers.delete(old)
    }
  }

  #create(name: string): Producer {
    const producer = new Producer(this.#rows, this.#object, this.#nextProducer++, name)
    this.#rows.touch(producer)
    this.#open().set(name, producer)
    return producer
  }

  #addedMsMin({ durationS }: IdempotenceLimits, nowMs: number): number {
    return nowMs - durationS * 1000 + 1
  }

  #open(): Map<string, Producer> {
    if (this.#producers !== undefined) return this.#producers
    const found: Producer[] = []
    if (this.#stored > 0) {
      for (const { key, value } of this.#rows.scan(Table.Parts, Producer.keyPrefix(this.#object))) {
        found.push(Producer.decode(this.#rows, this.#object, key, value))
      }
    }
    if (found.length !== this.#stored) {
      throw new CorruptionError(`stream ${this.#object.id} has ${found.length} producers instead of ${this.#stored}`)
    }
    found.sort((a, b) => a.lastMs - b.lastMs)
    return (this.#producers = new Map(found.map(producer => [producer.name, producer])))
  }
}
