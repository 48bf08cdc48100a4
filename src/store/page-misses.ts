// Reads that would wait for the disk: a command that may be run again is told to come back when the rows are in memory.
// The executor arms it for a command and runs the command again after fetching what it missed (exec/cold-reads); the
// store asks it at each read, and disarms it at the first change. Used by: store.ts, memory-rows.ts, page-tree.
//
// A fetch through another thread costs more than a read of what the kernel has in memory, and nobody can tell the two
// apart beforehand. So one miss in PROBE_EVERY is read at once, and timed: when PROBES_QUICK of them in a row were
// quick, the kernel has the data, and misses are read at once until one is slow.
//
// Invariant: a PageMiss is thrown only while the running command has changed nothing.

import type { Table } from './row.js'

export interface RowRef {
  readonly table: Table
  readonly key: Buffer
}

/** Thrown through a command that is to be run again. No Error: nobody wants to know where, and a stack costs. */
export class PageMiss {
  constructor(readonly rows: readonly RowRef[]) {}
}

/** A read of what the kernel has in memory takes less, unpacking included. */
const QUICK_US = 150
const PROBE_EVERY = 16
const PROBES_QUICK = 4
/** Reads at once before the next look whether they are still quick is worth a fetch again. */
const QUICK_READS = 1024

export class PageMisses {
  /** The running command may be run again, and has changed nothing. */
  armed = false
  /** Misses thrown ever; rows read at once instead, ever. */
  thrown = 0
  readAtOnce = 0
  #arrived: ReadonlySet<string> | undefined
  #ahead: readonly RowRef[] = NOTHING
  #misses = 0
  #quickProbes = 0
  #quickReads = 0

  /** @param arrived what was fetched for this command (nameOf each): read at once */
  arm(arrived: ReadonlySet<string> | undefined): void {
    this.armed = true
    this.#arrived = arrived
  }

  /** What will be wanted after the row that is read next. */
  expect(rows: readonly RowRef[]): void {
    this.#ahead = rows
  }

  /** Before a row is read; only while armed. @throws PageMiss when the row should be fetched first */
  check(table: Table, key: Buffer): void {
    const ahead = this.#ahead
    this.#ahead = NOTHING
    if (this.#quickReads > 0) {
      this.#quickReads--
      this.readAtOnce++
      return
    }
    if (this.#arrived?.has(nameOf({ table, key })) === true) return
    if (++this.#misses % PROBE_EVERY === 0) {
      this.readAtOnce++
      return
    }
    this.thrown++
    throw new PageMiss([{ table, key }, ...ahead])
  }

  /** A row was read at once, in so many microseconds. */
  timed(us: number): void {
    if (us > QUICK_US) {
      this.#quickProbes = 0
      this.#quickReads = 0
    } else if (this.#quickReads === 0 && ++this.#quickProbes >= PROBES_QUICK) {
      this.#quickProbes = 0
      this.#quickReads = QUICK_READS
    }
  }
}

export function nameOf({ table, key }: RowRef): string {
  return `${table}:${key.latin1Slice()}`
}

const NOTHING: readonly RowRef[] = []
