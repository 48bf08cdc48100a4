// The table of all commands: finds the row of a request from its bytes, without making a string of the name.
// Used by exec/ (every request), COMMAND, ACL and the journal's replay. Uses: spec.
//
// Invariants, checked once at construction: names are unique and lower case; a subcommand is named 'container|sub'; the
// first key lies inside the minimum arity; a row is not both for reading and for writing.

import { assert } from '../base/assert.js'
import type { Request } from '../resp/request.js'
import { Flag } from './spec.js'
import type { CommandSpec, KeySpec } from './spec.js'

/** A row as the executor uses it: flat, one shape for all rows, numbered so that counters can lie in arrays. */
export class TableRow {
  /** Full name, 'xgroup|create' for a subcommand. */
  readonly name: string
  readonly arity: number
  readonly flags: number
  /** Index of the first argument behind the name: 1, or 2 for a subcommand. */
  readonly argsAt: number
  /** Runs inside MULTI at once instead of being queued. */
  readonly unqueued: boolean
  /** Allowed to a RESP2 client that has subscribed to something. */
  readonly whileSubscribed: boolean
  /** Rows of a container's subcommands. */
  readonly children: NameIndex | undefined

  constructor(
    readonly spec: CommandSpec<unknown>,
    /** Position in CommandTable.rows. */
    readonly index: number,
    readonly parent: TableRow | undefined,
  ) {
    this.name = spec.name
    this.arity = spec.arity
    this.flags = spec.flags
    this.argsAt = parent === undefined ? 1 : 2
    this.unqueued = UNQUEUED.has(spec.name)
    this.whileSubscribed = WHILE_SUBSCRIBED.has(spec.name)
    this.children = spec.subcommands === undefined ? undefined : new NameIndex()
  }

  /** Whether a request of `argc` arguments, all names included, has the right number of them. */
  takes(argc: number): boolean {
    return this.arity > 0 ? argc === this.arity : argc >= -this.arity
  }
}

const UNQUEUED = new Set(['multi', 'exec', 'discard', 'watch', 'quit', 'reset'])
const WHILE_SUBSCRIBED = new Set([
  'ping',
  'subscribe',
  'unsubscribe',
  'psubscribe',
  'punsubscribe',
  'ssubscribe',
  'sunsubscribe',
  'quit',
  'reset',
])

export class CommandTable {
  /** Every row, subcommands included, by TableRow.index. */
  readonly rows: TableRow[] = []
  /** Top-level commands that clients may see, in the order given. */
  readonly commands: readonly CommandSpec<never>[]
  readonly #names = new NameIndex()
  readonly #byFullName = new Map<string, TableRow>()

  constructor(specs: readonly CommandSpec<never>[]) {
    for (const spec of specs) this.#add(spec, undefined)
    this.commands = specs.filter(spec => (spec.flags & Flag.Internal) === 0)
  }

  /**
   * The row that runs `request`. Undefined when the name, or the subcommand of a container, is not known. A container
   * without a subcommand is its own row: its arity decides.
   */
  lookup(request: Request): TableRow | undefined {
    const row = this.#names.find(request.buffer, request.starts[0], request.lengths[0])
    if (row === undefined || row.children === undefined || request.argc === 1) return row
    return row.children.find(request.buffer, request.starts[1], request.lengths[1])
  }

  /** The row of a full name ('xgroup|create'), in any case. */
  row(fullName: string): TableRow | undefined {
    return this.#byFullName.get(fullName.toLowerCase())
  }

  /** The specification of a full name ('xgroup|create'), in any case; internal rows are not found. */
  find(fullName: string): CommandSpec<never> | undefined {
    const row = this.row(fullName)
    if (row === undefined || (row.flags & Flag.Internal) !== 0) return undefined
    return row.spec as CommandSpec<never>
  }

  /** The error text for a request that lookup() did not find. Redis stops at a zero byte and at 128 characters. */
  unknownText(request: Request): string {
    const name = cString(request, 0)
    const container = this.#names.find(request.buffer, request.starts[0], request.lengths[0])
    if (container !== undefined && request.argc > 1) {
      return `ERR unknown subcommand '${cString(request, 1).slice(0, NAME_SHOWN_MAX)}'. Try ${name.toUpperCase()} HELP.`
    }
    let shown = ''
    for (let i = 1; i < request.argc && shown.length < NAME_SHOWN_MAX; i++) {
      shown += `'${cString(request, i).slice(0, NAME_SHOWN_MAX - shown.length)}' `
    }
    return `ERR unknown command '${name.slice(0, NAME_SHOWN_MAX)}', with args beginning with: ${shown}`
  }

  #add(spec: CommandSpec<never>, parent: TableRow | undefined): void {
    checkSpec(spec, parent?.spec)
    assert(!this.#byFullName.has(spec.name), `duplicate command ${spec.name}`)
    const row = new TableRow(spec as unknown as CommandSpec<unknown>, this.rows.length, parent)
    this.rows.push(row)
    this.#byFullName.set(spec.name, row)
    if (parent === undefined) this.#names.add(spec.name, row)
    else parent.children!.add(spec.name.slice(spec.name.indexOf('|') + 1), row)
    for (const sub of spec.subcommands ?? []) this.#add(sub, row)
  }
}

const NAME_SHOWN_MAX = 128

function cString(request: Request, i: number): string {
  const text = request.text(i)
  const zero = text.indexOf('\0')
  return zero < 0 ? text : text.slice(0, zero)
}

function checkSpec(spec: CommandSpec<never>, parent: CommandSpec<unknown> | undefined): void {
  assert(spec.name === spec.name.toLowerCase(), `${spec.name}: a name is lower case`)
  assert(spec.name.length > 0 && spec.name.length <= NAME_SHOWN_MAX, `${spec.name}: a name has 1 to 128 characters`)
  assert(spec.arity !== 0, `${spec.name}: an arity of 0 would refuse everything`)
  assert(spec.summary.length > 0, `${spec.name}: has no summary`)
  assert(
    (spec.flags & (Flag.Write | Flag.ReadOnly)) !== (Flag.Write | Flag.ReadOnly),
    `${spec.name}: is for reading or for writing, not both`,
  )
  if (parent === undefined) {
    assert(!spec.name.includes('|'), `${spec.name}: a subcommand without its container`)
  } else {
    assert(spec.name.startsWith(`${parent.name}|`), `${spec.name}: is not named after its container ${parent.name}`)
    assert(Math.abs(spec.arity) >= 2, `${spec.name}: the arity of a subcommand counts both names`)
    assert(spec.subcommands === undefined, `${spec.name}: subcommands have no subcommands`)
  }
  for (const key of spec.keys) {
    // A shard channel's place is described like a key's, and SUNSUBSCRIBE may come without one.
    if (key.flags.includes('not_key')) continue
    if (key.begin === 'unknown' || !('index' in key.begin)) continue
    assert(key.begin.index > 0, `${spec.name}: the name is no key`)
    assert(key.begin.index < Math.abs(spec.arity), `${spec.name}: the first key lies outside the minimum arity`)
  }
}

/** Names to rows: open addressing over a hash of the bytes with their case folded, compared in place. */
class NameIndex {
  #slots: (TableRow | undefined)[] = Array.from({ length: 16 })
  #names: string[] = Array.from({ length: 16 }, () => '')
  #mask = 15
  #size = 0

  add(name: string, row: TableRow): void {
    if ((this.#size + 1) * 3 > this.#slots.length) this.#grow()
    this.#size++
    const bytes = Buffer.from(name, 'latin1')
    let slot = hashOf(bytes, 0, bytes.length) & this.#mask
    while (this.#slots[slot] !== undefined) slot = (slot + 1) & this.#mask
    this.#slots[slot] = row
    this.#names[slot] = name
  }

  find(buffer: Uint8Array, start: number, length: number): TableRow | undefined {
    let slot = hashOf(buffer, start, length) & this.#mask
    for (;;) {
      const row = this.#slots[slot]
      if (row === undefined) return undefined
      if (sameName(this.#names[slot], buffer, start, length)) return row
      slot = (slot + 1) & this.#mask
    }
  }

  #grow(): void {
    const old = this.#slots
    const oldNames = this.#names
    this.#slots = Array.from({ length: old.length * 2 })
    this.#names = Array.from({ length: old.length * 2 }, () => '')
    this.#mask = old.length * 2 - 1
    this.#size = 0
    for (let i = 0; i < old.length; i++) {
      const row = old[i]
      if (row !== undefined) this.add(oldNames[i], row)
    }
  }
}

function hashOf(buffer: Uint8Array, start: number, length: number): number {
  // Names are short; a client's nonsense of megabytes must not cost a pass over it.
  const end = start + (length < NAME_SHOWN_MAX ? length : NAME_SHOWN_MAX)
  let hash = length
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + (buffer[i] | 32)) | 0
  return hash ^ (hash >>> 15)
}

function sameName(name: string, buffer: Uint8Array, start: number, length: number): boolean {
  if (name.length !== length) return false
  for (let i = 0; i < length; i++) {
    let c = buffer[start + i]
    if (c >= 65 && c <= 90) c += 32
    if (c !== name.charCodeAt(i)) return false
  }
  return true
}

/**
 * Positions of the keys in `request`, as the key specifications of `spec` find them; in the order of the
 * specifications. Undefined when the request does not fit one of them (too few arguments, no number of keys).
 */
export function keysOf(spec: { readonly keys: readonly KeySpec[] }, request: Request): number[] | undefined {
  const positions: number[] = []
  for (const key of spec.keys) {
    if (key.flags.includes('not_key')) continue
    if (key.locate !== undefined) {
      const located = key.locate(request)
      if (located === undefined) return undefined
      positions.push(...located)
      continue
    }
    const first = firstKeyOf(key, request)
    if (first === 0) continue
    const range = keyRange(key, request, first)
    if (range === 'none') continue
    if (range === 'invalid') return undefined
    for (let i = range.first; i <= range.last; i += range.step) positions.push(i)
  }
  return positions
}

/** Index at which the specification begins; 0 when its keyword is absent. */
function firstKeyOf(key: KeySpec, request: Request): number {
  if (key.begin === 'unknown') return 0
  if ('index' in key.begin) return key.begin.index
  const { keyword, startFrom } = key.begin
  const word = keyword.toUpperCase()
  const forward = startFrom > 0
  const step = forward ? 1 : -1
  const end = forward ? request.argc - 1 : 1
  for (let i = forward ? startFrom : request.argc + startFrom; forward ? i < end : i > end; i += step) {
    if (i >= request.argc || i < 1) break
    if (request.is(i, word)) return i + 1
  }
  return 0
}

type KeyRange = { first: number; last: number; step: number } | 'none' | 'invalid'

function keyRange(key: KeySpec, request: Request, begin: number): KeyRange {
  const find = key.find
  if (find === 'unknown') return 'none'
  let first = begin
  let last: number
  if ('lastKey' in find) {
    if (find.lastKey >= 0) last = first + find.lastKey
    else if (find.limit <= 1) last = request.argc + find.lastKey
    else last = first + Math.floor((request.argc - first) / find.limit) + find.lastKey
  } else {
    const at = first + find.keyNumIndex
    if (at >= request.argc) return 'invalid'
    const text = request.text(at)
    if (!/^\d{1,9}$/.test(text)) return 'invalid'
    if (Number(text) === 0) return 'invalid'
    first += find.firstKey
    last = first + (Number(text) - 1) * find.step
  }
  if (first >= request.argc || last >= request.argc || last < first) return 'invalid'
  return { first, last, step: find.step }
}
