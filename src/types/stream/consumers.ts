// The consumers of a group, read all at once on the first use. Used by: group, pel.

import { assert } from '../../base/assert.js'
import { CorruptionError } from '../../base/errors.js'
import { Table } from '../../store/row.js'
import { Consumer } from './consumer.js'
import type { ConsumerHome } from './consumer.js'
import { sortedByName } from './name-order.js'

export class Consumers {
  readonly #byName = new Map<string, Consumer>()
  readonly #byNumber = new Map<number, Consumer>()
  #sorted: readonly Consumer[] | undefined

  /**
   * @param stored number of rows to read; 0 for a new group
   * @throws CorruptionError when the rows found are not `stored` in number, or damaged
   */
  constructor(
    readonly home: ConsumerHome,
    stored: number,
  ) {
    if (stored === 0) return
    for (const { key, value } of home.rows.scan(Table.Parts, Consumer.keyPrefix(home.object))) {
      this.#add(Consumer.decode(home, key, value))
    }
    if (this.#byName.size !== stored) {
      throw new CorruptionError(`group ${home.object.id} has ${this.#byName.size} consumers instead of ${stored}`)
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
    return (this.#sorted ??= sortedByName(this.#byName.values()))
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
    this.#sorted = undefined
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
    this.#sorted = undefined
  }
}
