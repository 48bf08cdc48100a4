// What the tests of the store share: a store in a folder of its own, and rows that hold a number.

import { FakeClock } from '../../src/base/clock.js'
import { silentLog } from '../../src/base/log.js'
import { Row } from '../../src/store/row.js'
import type { StoreObject, Table } from '../../src/store/row.js'
import { Store } from '../../src/store/store.js'
import type { StoreOptions } from '../../src/store/store.js'

export class NumberRow extends Row {
  cleaned = 0
  constructor(
    readonly table: Table,
    public key: Buffer,
    readonly owner: StoreObject | undefined,
    public value: number,
    /** Bytes of filling, so that a checkpoint takes several slices. */
    readonly padding = 0,
  ) {
    super()
  }
  rowKey(): Buffer {
    return this.key
  }
  encodeRow(): Buffer {
    const bytes = Buffer.alloc(4 + this.padding)
    bytes.writeUInt32BE(this.value)
    return bytes
  }
  rowBytes(): number {
    return 4 + this.padding
  }
  override onClean(): void {
    this.cleaned++
  }
}

/** Opens a store; `replay: false` leaves the journal closed. */
export function openStore(folder: string, options: Partial<StoreOptions> & { replay?: boolean } = {}): Store {
  const store = Store.open({
    folder,
    log: silentLog(),
    clock: new FakeClock(1_000_000),
    fsync: 'always',
    cacheBytesMax: 1 << 20,
    ...options,
  })
  if (options.replay !== false) store.replay(() => undefined)
  return store
}

export function committedTick(store: Store): Promise<string | undefined> {
  return new Promise(resolve => store.commit(resolve))
}

export function numberIn(value: Buffer | undefined): number | undefined {
  return value?.readUInt32BE(0)
}
