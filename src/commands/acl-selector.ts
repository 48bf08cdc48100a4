// One set of rules of a user: which commands, which keys, which channels. A user has one at least, and a command may
// run when one of them allows all of it. Used by: acl-user. Uses: acl-catalog, key-access.
//
// Invariants: (1) `allCommands` says that every bit is set and that nothing was taken away since; (2) the rules told by
// describe(), applied to a new selector, give the same selector.

import { globMatch } from '../base/glob.js'
import type { Request } from '../resp/request.js'
import type { AclCatalog } from './acl-catalog.js'
import type { KeyAccess } from './key-access.js'
import type { TableRow } from './table.js'
import { Flag } from './spec.js'

/** Why something is denied; the greater number is told when several selectors deny. */
export const Denied = { Command: 1, Key: 2, Auth: 3, Channel: 4 } as const

export interface Denial {
  readonly reason: number
  /** Index of the argument that is denied; 0 for the command itself. */
  readonly at: number
}

/** A rule that cannot be applied; its message is Redis' text. */
export class AclFault extends Error {}

export const aclFaults = {
  unknown: 'Unknown command or category name in ACL',
  syntax: 'Syntax error',
  allKeys:
    "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not have any effect. " +
    "Try 'resetkeys' to start with an empty list of patterns",
  allChannels:
    "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does not have any effect. " +
    "Try 'resetchannels' to start with an empty list of channels",
  subcommand: 'Allowing first-arg of a subcommand is not supported',
  noPassword: 'The password you are trying to remove from the user does not exist',
  hash: 'The password hash must be exactly 64 characters and contain only lowercase hexadecimal characters',
} as const

const READ = 1
const WRITE = 2

interface KeyPattern {
  readonly pattern: string
  access: number
}

/** What GETUSER tells of a selector. */
export interface SelectorTexts {
  readonly commands: string
  readonly keys: string
  readonly channels: string
}

export class AclSelector {
  allCommands = false
  allKeys = false
  allChannels: boolean
  readonly #catalog: AclCatalog
  /** By TableRow.index: 1 where allowed. */
  readonly #allowed: Uint8Array
  /** First arguments allowed of commands that are not allowed otherwise, by TableRow.index. */
  readonly #firstArguments = new Map<number, string[]>()
  #keys: KeyPattern[] = []
  #channels: string[] = []
  /** What the rules start from: allows commands of future versions too. */
  #startsFromAll = false
  #rules: { readonly about: string; readonly allow: boolean }[] = []

  constructor(catalog: AclCatalog, allChannels: boolean) {
    this.#catalog = catalog
    this.allChannels = allChannels
    this.#allowed = new Uint8Array(catalog.rowCount)
  }

  copy(): AclSelector {
    const copy = new AclSelector(this.#catalog, this.allChannels)
    copy.allCommands = this.allCommands
    copy.allKeys = this.allKeys
    copy.#allowed.set(this.#allowed)
    for (const [index, words] of this.#firstArguments) copy.#firstArguments.set(index, [...words])
    copy.#keys = this.#keys.map(key => ({ ...key }))
    copy.#channels = [...this.#channels]
    copy.#startsFromAll = this.#startsFromAll
    copy.#rules = [...this.#rules]
    return copy
  }

  /** Whether it allows everything there is. */
  get unrestricted(): boolean {
    return this.allCommands && this.allKeys && this.allChannels
  }

  get channels(): readonly string[] {
    return this.#channels
  }

  /** @throws AclFault */
  apply(rule: string): void {
    switch (rule.toLowerCase()) {
      case 'allkeys':
      case '~*':
        this.allKeys = true
        this.#keys = []
        return
      case 'resetkeys':
        this.allKeys = false
        this.#keys = []
        return
      case 'allchannels':
      case '&*':
        this.allChannels = true
        this.#channels = []
        return
      case 'resetchannels':
        this.allChannels = false
        this.#channels = []
        return
      case 'allcommands':
      case '+@all':
        this.#everyCommand(true)
        return
      case 'nocommands':
      case '-@all':
        this.#everyCommand(false)
        return
    }
    const sign = rule[0]
    if (sign === '~' || sign === '%') this.#addKeys(rule)
    else if (sign === '&') this.#addChannel(rule.slice(1))
    else if ((sign === '+' || sign === '-') && rule[1] === '@') this.#category(rule.slice(2), sign === '+')
    else if (sign === '+') this.#allow(rule.slice(1))
    else if (sign === '-') this.#deny(rule.slice(1))
    else throw new AclFault(aclFaults.syntax)
  }

  /** Why the request is denied; undefined when it is allowed. */
  check(row: TableRow, request: Request, keys: () => readonly KeyAccess[]): Denial | undefined {
    if (!this.allows(row, request)) return { reason: Denied.Command, at: 0 }
    if (!this.allKeys && row.spec.keys.length > 0) {
      for (const key of keys()) {
        if (!this.#opensKey(request.text(key.at), key)) return { reason: Denied.Key, at: key.at }
      }
    }
    const { channels } = row.spec
    if (this.allChannels || channels === undefined) return undefined
    const last = channels.last < 0 ? request.argc + channels.last : channels.last
    for (let at = channels.first; at <= last; at++) {
      if (!this.opensChannel(request.text(at), channels.pattern)) return { reason: Denied.Channel, at }
    }
    return undefined
  }

  /** Whether the command itself is allowed, whatever its keys. */
  allows(row: TableRow, request: Request): boolean {
    if (this.allCommands || (row.flags & Flag.NoAuth) !== 0 || this.#allowed[row.index] === 1) return true
    const words = this.#firstArguments.get(row.index)
    if (words === undefined || request.argc <= row.argsAt) return false
    const first = request.text(row.argsAt).toLowerCase()
    return words.some(word => word.toLowerCase() === first)
  }

  /** @param pattern the name is a pattern to subscribe to: only the very same pattern allows it */
  opensChannel(name: string, pattern: boolean): boolean {
    if (this.allChannels) return true
    return this.#channels.some(each => (pattern ? each === name : globMatch(each, name)))
  }

  /** Every key may be read: what SORT needs for BY and GET. */
  get readsEveryKey(): boolean {
    return this.allKeys || this.#keys.some(({ pattern, access }) => pattern === '*' && (access & READ) !== 0)
  }

  describe(): SelectorTexts {
    const start = this.#startsFromAll ? '+@all' : '-@all'
    return {
      commands: [start, ...this.#rules.map(({ about, allow }) => (allow ? '+' : '-') + about)].join(' '),
      keys: this.allKeys ? '~*' : this.#keys.map(({ pattern, access }) => KEY_SIGNS[access] + pattern).join(' '),
      channels: this.allChannels ? '&*' : this.#channels.map(channel => `&${channel}`).join(' '),
    }
  }

  /** As the rules stand in a line of ACL LIST. */
  line(): string {
    const { commands, keys, channels } = this.describe()
    const reset = this.allChannels ? '' : 'resetchannels '
    return `${keys === '' ? '' : `${keys} `}${reset}${channels === '' ? '' : `${channels} `}${commands}`
  }

  #opensKey(key: string, { reads, writes }: KeyAccess): boolean {
    const needed = (reads ? READ : 0) | (writes ? WRITE : 0)
    return this.#keys.some(({ pattern, access }) => (access & needed) === needed && globMatch(pattern, key))
  }

  #addKeys(rule: string): void {
    if (this.allKeys) throw new AclFault(aclFaults.allKeys)
    let access = READ | WRITE
    let at = 1
    if (rule[0] === '%') {
      access = 0
      for (; at < rule.length && rule[at] !== '~'; at++) {
        const bit = KEY_LETTERS[rule[at].toUpperCase()] ?? 0
        if (bit === 0 || (access & bit) !== 0) throw new AclFault(aclFaults.syntax)
        access |= bit
      }
      if (access === 0) throw new AclFault(aclFaults.syntax)
      at++
    }
    const pattern = rule.slice(at)
    checkPattern(pattern)
    const known = this.#keys.find(key => key.pattern === pattern)
    if (known === undefined) this.#keys.push({ pattern, access })
    else known.access |= access
  }

  #addChannel(channel: string): void {
    if (this.allChannels) throw new AclFault(aclFaults.allChannels)
    checkPattern(channel)
    if (!this.#channels.includes(channel)) this.#channels.push(channel)
  }

  #everyCommand(allow: boolean): void {
    this.#allowed.fill(allow ? 1 : 0)
    this.allCommands = allow
    this.#startsFromAll = allow
    this.#firstArguments.clear()
    this.#rules = []
  }

  #category(name: string, allow: boolean): void {
    const rows = this.#catalog.category(name)
    if (rows === undefined) throw new AclFault(aclFaults.unknown)
    const changed = this.#setRows(rows, allow)
    // A category that is empty in this version need not be so in the next.
    if (changed || (rows.length === 0 && allow !== this.#startsFromAll)) this.#note(`@${name.toLowerCase()}`, allow)
  }

  #allow(name: string): void {
    const bar = name.lastIndexOf('|')
    const row = this.#catalog.row(bar < 0 ? name : name.slice(0, bar))
    if (row === undefined) throw new AclFault(aclFaults.unknown)
    if (bar < 0) {
      if (this.#setRows(this.#catalog.family(row), true)) this.#note(row.name, true)
      return
    }
    const sub = name.slice(bar + 1)
    if (row.argsAt > 1) throw new AclFault(aclFaults.subcommand)
    if (sub === '') throw new AclFault(aclFaults.syntax)
    if (row.children !== undefined) {
      const child = this.#catalog.row(name)
      if (child === undefined) throw new AclFault(aclFaults.unknown)
      if (this.#setRows([child], true)) this.#note(child.name, true)
    } else if (this.#allowed[row.index] === 0) {
      const words = this.#firstArguments.get(row.index) ?? []
      if (words.some(word => word.toLowerCase() === sub.toLowerCase())) return
      words.push(sub)
      this.#firstArguments.set(row.index, words)
      this.#note(`${row.name}|${sub}`, true)
    }
  }

  #deny(name: string): void {
    const row = this.#catalog.row(name)
    if (row === undefined) throw new AclFault(aclFaults.unknown)
    if (this.#setRows(this.#catalog.family(row), false)) this.#note(row.name, false)
  }

  /** Returns whether anything is another than before. */
  #setRows(rows: readonly TableRow[], allow: boolean): boolean {
    let changed = false
    for (const { index } of rows) {
      if ((this.#allowed[index] === 1) !== allow || this.#firstArguments.delete(index)) changed = true
      this.#firstArguments.delete(index)
      this.#allowed[index] = allow ? 1 : 0
    }
    if (changed && !allow) this.allCommands = false
    return changed
  }

  #note(about: string, allow: boolean): void {
    // What was said about the same, or about a part of it, is overruled.
    this.#rules = this.#rules.filter(rule => rule.about !== about && !rule.about.startsWith(`${about}|`))
    this.#rules.push({ about, allow })
  }
}

const KEY_SIGNS = ['', '%R~', '%W~', '~']
const KEY_LETTERS: Record<string, number> = { R: READ, W: WRITE }

function checkPattern(pattern: string): void {
  if (/[\s\0]/.test(pattern)) throw new AclFault(aclFaults.syntax)
}
