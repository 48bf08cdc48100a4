// A user: whether and with which passwords clients may become it, and what it may do then. Passwords are kept as the
// SHA-256 of their bytes, in hexadecimal. Used by: acl-users, sessions.

import { createHash, timingSafeEqual } from 'node:crypto'
import { splitWords } from '../base/config-file.js'
import type { Request } from '../resp/request.js'
import type { AclCatalog } from './acl-catalog.js'
import { AclFault, AclSelector, aclFaults, Denied } from './acl-selector.js'
import type { Denial } from './acl-selector.js'
import { keyAccesses } from './key-access.js'
import type { KeyAccess } from './key-access.js'
import type { TableRow } from './table.js'

const HASH = /^[0-9a-f]{64}$/

export class AclUser {
  enabled = false
  /** Any password will do. */
  nopass = false
  passwords: readonly string[] = []
  /** May do everything: kept beside the rules, as every command of every client asks for it. */
  unrestricted = false
  #root: AclSelector
  #more: AclSelector[] = []
  /** RESTORE's payloads are checked in any case; the flag is kept for ACL LIST. */
  #sanitize: 'sanitize-payload' | 'skip-sanitize-payload' | undefined
  readonly #catalog: AclCatalog
  readonly #channelsAtFirst: () => boolean

  /** @param channelsAtFirst whether new users may use all channels (acl-pubsub-default) */
  constructor(
    readonly name: string,
    catalog: AclCatalog,
    channelsAtFirst: () => boolean,
  ) {
    this.#catalog = catalog
    this.#channelsAtFirst = channelsAtFirst
    this.#root = new AclSelector(catalog, channelsAtFirst())
  }

  /** Takes over all rules of another user, the name not. */
  become(other: AclUser): void {
    this.enabled = other.enabled
    this.nopass = other.nopass
    this.passwords = other.passwords
    this.unrestricted = other.unrestricted
    this.#root = other.#root.copy()
    this.#more = other.#more.map(selector => selector.copy())
    this.#sanitize = other.#sanitize
  }

  copy(): AclUser {
    const copy = new AclUser(this.name, this.#catalog, this.#channelsAtFirst)
    copy.become(this)
    return copy
  }

  /** Applies one rule. @throws AclFault */
  apply(rule: string): void {
    this.#apply(rule)
    this.unrestricted = this.#selectors.some(selector => selector.unrestricted)
  }

  /** Why the request is denied; undefined when it is allowed. Of several selectors the one that goes furthest tells. */
  check(row: TableRow, request: Request): Denial | undefined {
    if (this.unrestricted) return undefined
    let accesses: readonly KeyAccess[] | undefined
    const keys = () => (accesses ??= keyAccesses(row.spec, request))
    let worst: Denial = { reason: Denied.Command, at: 0 }
    for (const selector of this.#selectors) {
      const denial = selector.check(row, request, keys)
      if (denial === undefined) return undefined
      if (denial.reason > worst.reason || (denial.reason === worst.reason && denial.at > worst.at)) worst = denial
    }
    return worst
  }

  /** Whether it may run the command and, besides, read every key: for what reads keys that it does not name. */
  readsEveryKeyWith(row: TableRow, request: Request): boolean {
    const keys = () => keyAccesses(row.spec, request)
    return this.#selectors.some(selector => selector.readsEveryKey && selector.check(row, request, keys) === undefined)
  }

  opensChannel(name: string, pattern: boolean): boolean {
    return this.#selectors.some(selector => selector.opensChannel(name, pattern))
  }

  accepts(password: string): boolean {
    if (!this.enabled) return false
    if (this.nopass) return true
    const given = Buffer.from(hashOf(password))
    return this.passwords.some(hash => timingSafeEqual(Buffer.from(hash), given))
  }

  get flags(): string[] {
    const flags = [this.enabled ? 'on' : 'off']
    if (this.nopass) flags.push('nopass')
    if (this.#sanitize !== undefined) flags.push(this.#sanitize)
    return flags
  }

  /** The first is the one that has always been there, the others stand in parentheses. */
  get selectors(): readonly AclSelector[] {
    return this.#selectors
  }

  /** The line of ACL LIST, of a configuration file or of an aclfile. */
  line(): string {
    const words = [...this.flags, ...this.passwords.map(hash => `#${hash}`), this.#root.line()]
    return ['user', this.name, ...words, ...this.#more.map(selector => `(${selector.line()})`)].join(' ')
  }

  get #selectors(): AclSelector[] {
    return [this.#root, ...this.#more]
  }

  #apply(rule: string): void {
    if (rule === '') return
    switch (rule.toLowerCase()) {
      case 'on':
        this.enabled = true
        return
      case 'off':
        this.enabled = false
        return
      case 'nopass':
        this.nopass = true
        this.passwords = []
        return
      case 'resetpass':
        this.nopass = false
        this.passwords = []
        return
      case 'sanitize-payload':
      case 'skip-sanitize-payload':
        this.#sanitize = rule.toLowerCase() as 'sanitize-payload' | 'skip-sanitize-payload'
        return
      case 'clearselectors':
        this.#more = []
        return
      case 'reset':
        this.#reset()
        return
    }
    if ('><#!'.includes(rule[0])) this.#password(rule[0], rule.slice(1))
    else if (rule[0] === '(' && rule.endsWith(')')) this.#more.push(this.#selector(rule.slice(1, -1)))
    else this.#root.apply(rule)
  }

  #reset(): void {
    this.enabled = false
    this.nopass = false
    this.passwords = []
    this.#sanitize = 'sanitize-payload'
    this.#root = new AclSelector(this.#catalog, this.#channelsAtFirst())
    this.#more = []
  }

  #password(sign: string, text: string): void {
    const hashed = sign === '#' || sign === '!'
    if (hashed && !HASH.test(text)) throw new AclFault(aclFaults.hash)
    const hash = hashed ? text : hashOf(text)
    const others = this.passwords.filter(each => each !== hash)
    if (sign === '>' || sign === '#') {
      if (others.length === this.passwords.length) this.passwords = [...this.passwords, hash]
      this.nopass = false
    } else {
      if (others.length === this.passwords.length) throw new AclFault(aclFaults.noPassword)
      this.passwords = others
    }
  }

  #selector(rules: string): AclSelector {
    const words = splitWords(rules)
    if (words === undefined) throw new AclFault(aclFaults.syntax)
    const selector = new AclSelector(this.#catalog, this.#channelsAtFirst())
    for (const word of words) selector.apply(word)
    return selector
  }
}

function hashOf(password: string): string {
  return createHash('sha256').update(password, 'latin1').digest('hex')
}

/**
 * Joins the words of a selector that was split at its blanks: '(~a', '+get)' is '(~a +get)'.
 * Returns the text of the first that is never closed instead, when there is one.
 */
export function joinSelectors(words: readonly string[]): string[] | { readonly unmatched: string } {
  const rules: string[] = []
  let open: string | undefined
  let opener = ''
  for (const word of words) {
    if (open !== undefined) {
      open += ` ${word}`
      if (word.endsWith(')')) {
        rules.push(open)
        open = undefined
      }
    } else if (word.startsWith('(') && !word.endsWith(')')) {
      open = opener = word
    } else {
      rules.push(word)
    }
  }
  return open === undefined ? rules : { unmatched: opener }
}
