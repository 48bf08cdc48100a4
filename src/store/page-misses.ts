// Reads that would wait for the disk: a command that may be run again is told to come back when the rows are in memory.
// The executor arms it for a command and runs the command again after fetching what it missed (exec/cold-reads); the
// store asks it at each read, and disarms it at the first change. Used by: store.ts, memory-rows.ts, page-tree.
//
// A fetch through another thread costs more than a read of what the kernel has in memory, and nobody can tell the two
// apart beforehand. So one miss in PROBE_EVERY is read at once, and timed: when PROBES_QUICK of them in a row were
// quick, the kernel has the data, and misses are read at once until one is slow.
//
// Reading what the kernel has costs the main thread some 20 µs a page all the same, and others wait for it: what is
// read at once in a tick is bounded, and beyond that the command comes back for it as well, without a fetch.
//
// Invariant: a PageMiss is thrown only while the running command has changed nothing.

import type { Table } from './row.js'

export interface RowRef {
  readonly table: Table
  readonly key: Buffer
  /** Reads it into the page cache, unless it is there or nobody wants it any more. @throws CorruptionError */
  readonly load?: (() => void) | undefined
}

/** Thrown through a command that is to be run again. No Error: nobody wants to know where, and a stack costs. */
export class PageMiss {
  /** @param atOnce the kernel has them, it seems: no fetch is needed, only a turn to read them in */
  constructor(
    readonly rows: readonly RowRef[],
    readonly atOnce: boolean,
  ) {}
}

/** A read of what the kernel has in memory takes less, unpacking included. */
const QUICK_US = 150
const PROBE_EVERY = 16
const PROBES_QUICK = 4
/** Reads at once before the next look whether they are still quick is worth a fetch again. */
const QUICK_READS = 1024
/** What reading a row at once takes, about. */
const ROW_US = 20
/** Reads at once in a tick take no longer, all clients together. */
const AT_ONCE_US = 80

export class PageMisses {
  /** The running command may be run again, and has changed nothing. */
  armed = false
  /** It may not miss, but rest(): what it reads is kept for it wherever it is left. */
  mayRest = false
  /** Misses thrown ever; rows read at once instead, ever. */
  thrown = 0
  readAtOnce = 0
  #arrived: ReadonlySet<string> | undefined
  #ahead: readonly RowRef[] = NOTHING
  #load: (() => void) | undefined
  /** Left for reads at once in this tick. */
  #leftUs = AT_ONCE_US
  #misses = 0
  #quickProbes = 0
  #quickReads = 0

  /** @param arrived what was fetched for this command (nameOf each): read at once */
  arm(arrived: ReadonlySet<string> | undefined): void {
    this.armed = true
    this.#arrived = arrived
  }

  /** A tick is over. */
  tickOver(): void {
    this.#leftUs = AT_ONCE_US
  }

  /** What will be wanted after the row that is read next. @param load as RowRef.load of that row itself */
  expect(rows: readonly RowRef[], load: () => void): void {
    this.#ahead = rows
    this.#load = load
  }

  /** Before a row is read; only while armed. @throws PageMiss when the row should be fetched first */
  check(table: Table, key: Buffer): void {
    const ahead = this.#ahead
    const load = this.#load
    this.#ahead = NOTHING
    this.#load = undefined
    if (this.#arrived?.has(nameOf({ table, key })) === true) return
    const atOnce = this.#quickReads > 0
    if (atOnce) {
      const rows = 1 + ahead.length
      this.#quickReads = Math.max(0, this.#quickReads - rows)
      this.readAtOnce += rows
      this.#leftUs -= rows * ROW_US
      if (this.#leftUs >= 0) return
    } else if (++this.#misses % PROBE_EVERY === 0) {
      this.readAtOnce++
      return
    } else this.thrown++
    throw new PageMiss([{ table, key, load }, ...ahead], atOnce)
  }

  /**
   * Between two parts of work that lasts, of which nothing is lost when it is left here: the running command comes back
   * in a later turn, unless it cannot. @throws PageMiss
   */
  rest(): void {
    if (this.armed || this.mayRest) throw this.resting()
  }

  /** What rest() throws. */
  resting(): PageMiss {
    return new PageMiss(NOTHING, true)
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
