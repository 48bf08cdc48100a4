// The slow, obvious model of a stream with groups, pending entries and producers: arrays and maps, no pages, no rows.
// It answers each command as the server should. IDs are ordinals here: the server chooses them, `ids` tells which.
// Times are either now, or a time of the past that a command set; what is told of them is 'now' or 'long ago'.

/** What XREADGROUP CLAIM, XAUTOCLAIM and XCLAIM ask for: nothing delivered during the run is idle so long. */
export const LONG_MS = 3_600_000

export interface Row {
  /** undefined: released. */
  owner: string | undefined
  /** Time of the past, place among the released, or undefined for now. */
  at: number | undefined
  deliveries: bigint
}

export interface Group {
  last: number
  pending: Map<number, Row>
  consumers: Set<string>
}

export interface Known {
  key: string
  entry: number
}

const MAX = 2n ** 63n - 1n

export class StreamsModel {
  /** ids[n] is the ID of entry n; entries count from 1. */
  readonly ids: string[] = ['0-0']
  fields: (string[] | undefined)[] = [undefined]
  groups = new Map<string, Group>()
  producers = new Map<string, Known[]>()
  sizeMax = 100
  added = 0
  duplicates = 0
  #places = 0

  get live(): number[] {
    return this.ids.map((_, n) => n).filter(n => this.fields[n] !== undefined)
  }

  entry(n: number): unknown {
    return [this.ids[n], this.fields[n]]
  }

  /** Notes an entry that the server gave `id`. */
  add(id: string, fields: string[]): number {
    this.fields.push(fields)
    return this.ids.push(id) - 1
  }

  known(producer: string, key: string): number | undefined {
    return this.producers.get(producer)?.find(known => known.key === key)?.entry
  }

  remember(producer: string, key: string, entry: number): void {
    const window = this.producers.get(producer) ?? []
    this.producers.set(producer, [...window, { key, entry }].slice(-this.sizeMax))
    this.added++
  }

  configure(sizeMax: number): void {
    if (sizeMax === this.sizeMax) return
    this.sizeMax = sizeMax
    this.producers.clear()
  }

  delete(n: number): boolean {
    const was = this.fields[n] !== undefined
    this.fields[n] = undefined
    return was
  }

  referenced(n: number): boolean {
    return [...this.groups.values()].some(group => n > group.last || group.pending.has(n))
  }

  dropReferences(n: number): void {
    for (const group of this.groups.values()) group.pending.delete(n)
  }

  /** XDELEX of one entry. */
  deleteAs(policy: string, n: number): number {
    if (policy === 'ACKED' && this.referenced(n)) return 2
    if (policy === 'DELREF') this.dropReferences(n)
    return this.delete(n) ? 1 : -1
  }

  ackDeleteAs(policy: string, group: Group | undefined, n: number): number {
    if (group?.pending.delete(n) !== true) return -1
    return this.deleteAs(policy, n) === 2 ? 2 : 1
  }

  /** Exact trims. Returns how many went. */
  trim(policy: string, to: { length: number } | { id: number }): number {
    const live = this.live
    let left = live.length
    let removed = 0
    for (const n of live) {
      if ('length' in to ? left <= to.length : n >= to.id) break
      if (policy === 'ACKED' && this.groups.size > 0 && this.referenced(n)) continue
      this.fields[n] = undefined
      left--
      removed++
    }
    if (policy === 'DELREF' && removed > 0) {
      const [first] = this.live
      for (const group of this.groups.values()) {
        for (const n of group.pending.keys()) if (first === undefined || n < first) group.pending.delete(n)
      }
    }
    return removed
  }

  /** Rows ascending by ID. */
  rows(group: Group): [number, Row][] {
    return [...group.pending].sort(([a], [b]) => a - b)
  }

  isLongAgo(row: Row): boolean {
    return row.owner === undefined || row.at !== undefined
  }

  /** As CLAIM takes them: the released, then those of the past, then by ID. */
  oldest(group: Group): [number, Row][] {
    const rank = ([n, row]: [number, Row]) => [row.owner === undefined ? 0 : 1, row.at ?? 0, n]
    const idle = this.rows(group).filter(([, row]) => this.isLongAgo(row))
    return idle.sort((a, b) => {
      const [x, y] = [rank(a), rank(b)]
      return x[0] - y[0] || x[1] - y[1] || x[2] - y[2]
    })
  }

  idle(row: Row): unknown {
    if (row.owner === undefined) return -1
    return row.at === undefined ? 'now' : 'long ago'
  }

  shownRow([n, row]: [number, Row]): unknown {
    return [this.ids[n], row.owner ?? '', this.idle(row), String(row.deliveries)]
  }

  /** XREADGROUP '>'. */
  read(
    group: Group,
    consumer: string,
    options: { count: number; noAck: boolean; claim: boolean },
  ): unknown[] | undefined {
    group.consumers.add(consumer)
    const entries: unknown[] = []
    if (options.claim) {
      for (const [n, row] of this.oldest(group)) {
        if (entries.length === options.count) break
        if (this.fields[n] === undefined) continue
        const idle = row.owner === undefined ? 'long ago' : this.idle(row)
        entries.push([...(this.entry(n) as unknown[]), idle, String(row.deliveries)])
        const deliveries = row.deliveries === MAX ? MAX : row.deliveries + 1n
        group.pending.set(n, { owner: consumer, at: undefined, deliveries })
      }
    }
    for (const n of this.live) {
      if (entries.length === options.count) break
      if (n <= group.last) continue
      group.last = n
      entries.push(options.claim ? [...(this.entry(n) as unknown[]), 'now', '0'] : this.entry(n))
      if (!options.noAck) group.pending.set(n, { owner: consumer, at: undefined, deliveries: 1n })
    }
    return entries.length === 0 ? undefined : entries
  }

  history(group: Group, consumer: string, count: number): unknown[] {
    group.consumers.add(consumer)
    const own = this.rows(group).filter(([, row]) => row.owner === consumer)
    return own.slice(0, count).map(([n, row]) => {
      if (this.fields[n] === undefined) return [this.ids[n], null]
      const deliveries = row.deliveries === MAX ? MAX : row.deliveries + 1n
      group.pending.set(n, { owner: consumer, at: undefined, deliveries })
      return this.entry(n)
    })
  }

  claim(
    group: Group,
    consumer: string,
    entries: number[],
    options: { at: number | undefined; force: boolean; justId: boolean; idle: boolean; deliveries: bigint | undefined },
  ): unknown[] {
    group.consumers.add(consumer)
    const claimed: unknown[] = []
    for (const n of entries) {
      const row = group.pending.get(n)
      if (this.fields[n] === undefined) {
        group.pending.delete(n)
        continue
      }
      if (row === undefined ? !options.force : options.idle && !this.isLongAgo(row)) continue
      const before = row?.deliveries ?? 1n
      const counted = options.justId || before === MAX ? before : before + 1n
      group.pending.set(n, { owner: consumer, at: options.at, deliveries: options.deliveries ?? counted })
      claimed.push(options.justId ? this.ids[n] : this.entry(n))
    }
    return claimed
  }

  autoClaim(group: Group, consumer: string, start: number, count: number): unknown[] {
    group.consumers.add(consumer)
    const claimed: unknown[] = []
    const deleted: unknown[] = []
    let looks = count * 10
    let cursor = '0-0'
    for (const [n, row] of this.rows(group).filter(([n]) => n >= start)) {
      if (looks-- === 0 || claimed.length + deleted.length >= count) {
        cursor = this.ids[n]
        break
      }
      if (this.fields[n] === undefined) {
        group.pending.delete(n)
        deleted.push(this.ids[n])
      } else if (this.isLongAgo(row)) {
        const deliveries = row.deliveries === MAX ? MAX : row.deliveries + 1n
        group.pending.set(n, { owner: consumer, at: undefined, deliveries })
        claimed.push(this.entry(n))
      }
    }
    return [cursor, claimed, deleted]
  }

  nack(
    group: Group,
    mode: string,
    entries: number[],
    options: { force: boolean; deliveries: bigint | undefined },
  ): number {
    let released = 0
    for (const n of entries) {
      const row = group.pending.get(n)
      if (row === undefined && !(options.force && this.fields[n] !== undefined)) continue
      const before = row?.deliveries ?? 0n
      const silent = mode === 'SILENT' && before > 0n ? before - 1n : before
      const deliveries = options.deliveries ?? (mode === 'FATAL' ? MAX : silent)
      group.pending.set(n, { owner: undefined, at: ++this.#places, deliveries })
      released++
    }
    return released
  }

  deleteConsumer(group: Group, consumer: string): number {
    group.consumers.delete(consumer)
    const own = this.rows(group).filter(([, row]) => row.owner === consumer)
    for (const [n] of own) group.pending.delete(n)
    return own.length
  }

  summary(group: Group): unknown[] {
    const rows = this.rows(group)
    if (rows.length === 0) return [0, null, null, null]
    const owners = [...group.consumers].sort().map(name => [name, rows.filter(([, row]) => row.owner === name).length])
    const counted = owners.filter(([, count]) => count !== 0).map(([name, count]) => [name, String(count)])
    return [rows.length, this.ids[rows[0][0]], this.ids[rows[rows.length - 1][0]], counted]
  }

  lag(group: Group): number {
    return this.live.filter(n => n > group.last).length
  }
}
