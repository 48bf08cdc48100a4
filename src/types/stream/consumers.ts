// The consumers of a group, all read before the first use: of very many a command comes back for them, part by part.
// Used by: group-contents, pel.

import { assert } from '../../base/assert.js'
import { CorruptionError } from '../../base/errors.js'
import { Table } from '../../store/row.js'
import { Consumer } from './consumer.js'
import type { ConsumerHome } from './consumer.js'
import { NameOrder } from './name-order.js'

/** Rows read before others get their turn: about half a millisecond. */
const READ_AT_ONCE = 128

export class Consumers {
  readonly #byName = new Map<string, Consumer>()
  readonly #byNumber = new Map<number, Consumer>()
  readonly #order = new NameOrder<Consumer>()
  /** Up to this key rows were read. */
  #upTo: Buffer | undefined

  constructor(readonly home: ConsumerHome) {}

  /**
   * Reads their rows, or goes on with it.
   * @param stored number of rows to read; 0 for a new group
   * @throws CorruptionError when the rows found are not `stored` in number, or damaged; PageMiss behind some of many,
   * from a command that has changed nothing
   */
  read(stored: number): void {
    if (stored === 0) return
    const { rows, object } = this.home
    let left = READ_AT_ONCE
    for (const { key, value } of rows.scan(Table.Parts, Consumer.keyPrefix(object), this.#upTo)) {
      this.#add(Consumer.decode(this.home, key, value))
      this.#upTo = key
      if (--left > 0) continue
      rows.misses.rest()
      left = READ_AT_ONCE
    }
    if (this.#byName.size !== stored) {
      throw new CorruptionError(`group ${object.id} has ${this.#byName.size} consumers instead of ${stored}`)
    }
  }

  get size(): number {
    return this.#byName.size
  }

  get(name: string): Consumer | undefined {
    return this.#byName.get(name)
  }

  /** @throws CorruptionError when a PEL record names a consumer that does not exist */
  numbered(number: number): Consumer {
    const consumer = this.ifNumbered(number)
    if (consumer === undefined) throw new CorruptionError(`group ${this.home.object.id} has no consumer ${number}`)
    return consumer
  }

  ifNumbered(number: number): Consumer | undefined {
    return this.#byNumber.get(number)
  }

  /** Ascending by the bytes of the name. */
  all(): readonly Consumer[] {
    return this.#order.of(this.#byName)
  }

  create(number: number, name: string, seenMs: number): Consumer {
    assert(!this.#byName.has(name), 'the consumer is new')
    const consumer = new Consumer(this.home, number, name, seenMs)
    this.home.rows.touch(consumer)
    this.#add(consumer)
    return consumer
  }

  /** Its pending entries have gone already. */
  delete(consumer: Consumer): void {
    assert(consumer.pendingCount === 0, 'a consumer goes without pending entries')
    this.home.rows.touch(consumer)
    consumer.removed = true
    consumer.release()
    this.#byName.delete(consumer.name)
    this.#byNumber.delete(consumer.number)
    this.#order.removed(consumer)
  }

  /** In no order. */
  values(): Iterable<Consumer> {
    return this.#byName.values()
  }

  /** The group is dropped: its consumers count no more. */
  release(): void {
    for (const consumer of this.#byName.values()) consumer.release()
  }

  #add(consumer: Consumer): void {
    this.#byName.set(consumer.name, consumer)
    this.#byNumber.set(consumer.number, consumer)
    this.#order.added(consumer)
  }
}
