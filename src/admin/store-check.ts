// Verifies everything in a store: each row of the directory, each value with all its pages (by the types' own code),
// the database map, the libraries, what was retired, and that no row belongs to nobody. Reads one snapshot and changes
// nothing. Used by: check, repair.

import { CorruptionError } from '../base/errors.js'
import { Inspection } from '../pages/inspection.js'
import type { Environment } from '../store/environment.js'
import { getU48, Table } from '../store/row.js'
import { decodePosition, EMPTY_POSITION, POSITION_KEY } from '../store/store-position.js'
import type { StorePosition } from '../store/store-position.js'
import { DatabaseMap } from '../types/database-map.js'
import { decodeDirectoryRow, DIRECTORY_KEY, encodeDirectoryKey } from '../types/directory-row.js'
import type { DirectoryRow } from '../types/directory-row.js'
import { Libraries } from '../types/libraries.js'
import { typeByCode } from '../types/types.js'
import { ReadRows } from '../store/read-rows.js'

export interface Finding {
  /** Undefined when it concerns no database, or one that was flushed. */
  readonly database: number | undefined
  /** latin1; undefined when it concerns no key. */
  readonly key: string | undefined
  readonly what: string
  /** Of its row in the directory. */
  readonly directoryKey: Buffer | undefined
}

export interface StoreReport {
  readonly findings: readonly Finding[]
  /** Rows that belong to nobody: space lost, nothing else. */
  readonly waste: readonly string[]
  /** Ids of objects, and of trees, that belong to a key or are retired. */
  readonly owned: ReadonlySet<number>
  readonly trees: ReadonlySet<number>
  readonly position: StorePosition
  readonly keys: number
  readonly pages: number
}

interface Place {
  readonly database: number | undefined
  readonly key: string | undefined
  readonly directoryKey: Buffer | undefined
}

const NOWHERE: Place = { database: undefined, key: undefined, directoryKey: undefined }

/** @param onPage called after each page that was read */
export function checkStore(environment: Environment, onPage: () => void): StoreReport {
  return new StoreCheck(environment, onPage).run()
}

class StoreCheck {
  readonly #environment: Environment
  readonly #rows: ReadRows
  readonly #inspection: Inspection
  readonly #findings: Finding[] = []
  readonly #waste: string[] = []
  readonly #databaseOfSlot = new Map<number, number | undefined>()
  readonly #retired = new Set<number>()
  #place = NOWHERE
  #keys = 0
  #pages = 0

  constructor(environment: Environment, onPage: () => void) {
    this.#environment = environment
    this.#rows = new ReadRows(environment)
    this.#inspection = new Inspection(
      what => void this.#findings.push({ ...this.#place, what }),
      () => {
        this.#pages++
        this.#rows.cache.advance()
        onPage()
      },
    )
  }

  run(): StoreReport {
    const inspection = this.#inspection
    let position = EMPTY_POSITION
    inspection.attempt(() => {
      const row = this.#environment.read(Table.Meta, POSITION_KEY)
      if (row !== undefined) position = decodePosition(row)
    })
    inspection.attempt(() => this.#readMap())
    inspection.attempt(() => new Libraries(this.#rows).load())
    inspection.attempt(() => {
      for (const { key, value } of this.#environment.scanAll(Table.Directory)) this.#directoryRow(key, value)
    })
    this.#place = NOWHERE
    inspection.attempt(() => this.#belongings(position.nextId))
    const owned = new Set([...inspection.objects, ...this.#retired])
    const trees = new Set([...inspection.trees.keys(), ...this.#retired])
    const [keys, pages] = [this.#keys, this.#pages]
    return { findings: this.#findings, waste: this.#waste, owned, trees, position, keys, pages }
  }

  #readMap(): void {
    const map = new DatabaseMap(this.#rows, 0)
    map.load(0)
    map.slots.forEach((slot, database) => this.#databaseOfSlot.set(slot, database))
    for (const slot of map.deadSlots) this.#databaseOfSlot.set(slot, undefined)
  }

  #directoryRow(key: Buffer, value: Buffer | CorruptionError): void {
    this.#keys++
    const slot = key.length >= DIRECTORY_KEY.NAME ? key.readUInt32BE(DIRECTORY_KEY.SLOT) : -1
    // Databases of a new folder are numbered in order until the first FLUSHDB or SWAPDB writes the map.
    const mapped = this.#databaseOfSlot.size > 0
    const database = mapped ? this.#databaseOfSlot.get(slot) : slot
    this.#place = { database, key: nameIn(key), directoryKey: key }
    this.#inspection.attempt(() => {
      if (value instanceof CorruptionError) throw value
      const row = decodeDirectoryRow(key, value)
      this.#place = { database, key: row.name, directoryKey: key }
      if (!encodeDirectoryKey(slot, row.name).equals(key)) this.#inspection.found('the directory row has another name')
      if (mapped && !this.#databaseOfSlot.has(slot)) {
        this.#inspection.found(`the directory row is of slot ${slot}, which no database has`)
      }
      this.#value(row)
    }, '; the key is lost')
    this.#rows.cache.advance()
  }

  #value(row: DirectoryRow): void {
    const spec = typeByCode(row.typeCode)
    if (spec === undefined) throw new CorruptionError(`the directory row names type ${row.typeCode}, which is unknown`)
    spec.load(this.#rows, row.objectId).check(this.#inspection)
  }

  /** Every row of heads, parts, blocks and pages must belong to a value that was met, or be retired. */
  #belongings(nextId: number): void {
    const objects = Float64Array.from(this.#inspection.objects).sort()
    for (let i = 1; i < objects.length; i++) {
      if (objects[i] === objects[i - 1]) this.#inspection.found(`object ${objects[i]} belongs to two keys`)
    }
    const retired = this.#retired
    for (const key of this.#environment.keys(Table.Retired)) retired.add(getU48(key, 0))
    const known = (id: number) => has(objects, id) || retired.has(id)
    for (const table of [Table.Heads, Table.Parts]) {
      for (const [id, rows] of this.#rowsById(table)) {
        if (id >= nextId) this.#inspection.found(`id ${id} is in use before it was given out`)
        if (!known(id)) this.#waste.push(`${rows} rows of object ${id}, which belongs to no key`)
      }
    }
    for (const table of [Table.Pages, Table.Blocks]) {
      const what = table === Table.Pages ? 'pages' : 'blocks'
      for (const [id, rows] of this.#rowsById(table)) {
        if (id >= nextId) this.#inspection.found(`tree ${id} is in use before it was given out`)
        const size = this.#inspection.trees.get(id)
        const more = rows - (size?.[what] ?? 0)
        if (more > 0 && !retired.has(id)) this.#waste.push(`${more} ${what} of tree ${id}, which nothing refers to`)
      }
    }
  }

  /** Ids in a table, ascending, with the number of rows under each. */
  *#rowsById(table: Table): Iterable<readonly [id: number, rows: number]> {
    let id = -1
    let rows = 0
    for (const key of this.#environment.keys(table)) {
      const next = getU48(key, 0)
      if (next !== id && rows > 0) yield [id, rows]
      rows = next === id ? rows + 1 : 1
      id = next
    }
    if (rows > 0) yield [id, rows]
  }
}

function has(sorted: Float64Array, id: number): boolean {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle] < id) low = middle + 1
    else high = middle
  }
  return sorted[low] === id
}

/** The name as far as the key of a directory row tells it. */
function nameIn(key: Buffer): string {
  const digested = key[DIRECTORY_KEY.FORM] === 1
  return digested ? `(SHA-256 ${key.toString('hex', DIRECTORY_KEY.NAME)})` : key.latin1Slice(DIRECTORY_KEY.NAME)
}
