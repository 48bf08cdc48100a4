// All users by name. They come from `user` lines of the configuration or from the aclfile, and from ACL SETUSER; they
// are kept where Redis keeps them, in one of the two files, when CONFIG REWRITE or ACL SAVE is called, and not in the
// store.
//
// Invariants: (1) there is always a user 'default', and it is always the same object; (2) a user is changed as a whole
// or not at all.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from '../base/errors.js'
import type { Config } from '../base/config.js'
import { quoteWord, replaceFile, systemReason } from '../base/config-file.js'
import { AclCatalog } from './acl-catalog.js'
import { AclLog } from './acl-log.js'
import { AclFault, aclFaults } from './acl-selector.js'
import { AclUser, joinSelectors } from './acl-user.js'
import type { CommandTable } from './table.js'

const OPEN_TO_ALL = ['on', 'nopass', '~*', '&*', '+@all']
const NOTHING_DONE = 'WARNING: ACL errors detected, no change to the previously active ACL rules was performed'

/** A file or a line that cannot be used; its message is Redis' text. */
export class AclFileFault extends Error {}

export class AclUsers {
  readonly catalog: AclCatalog
  readonly log: AclLog
  readonly default: AclUser
  /** Called when new clients may have to authenticate although they had not, or the other way round. */
  onDefaultChange: () => void = () => undefined
  readonly #config: Config
  #users = new Map<string, AclUser>()

  constructor(table: CommandTable, config: Config) {
    this.#config = config
    this.catalog = new AclCatalog(table)
    this.log = new AclLog(() => config.values.acllogMaxLen)
    this.default = this.newUser('default')
    for (const rule of OPEN_TO_ALL) this.default.apply(rule)
    this.#users.set('default', this.default)
    if (config.values.requirepass !== '') this.#setDefaultPassword(config.values.requirepass)
    config.onChange('requirepass', password => this.#setDefaultPassword(password))
    config.userLines = () => (this.file === undefined ? this.all.map(user => quotedLine(user.line())) : [])
  }

  /** The aclfile; undefined when there is none. */
  get file(): string | undefined {
    const { aclfile, dir } = this.#config.values
    return aclfile === '' ? undefined : resolve(dir, aclfile)
  }

  /** New clients must authenticate first. */
  get passwordRequired(): boolean {
    return !this.default.nopass || !this.default.enabled
  }

  /** By name. */
  get all(): readonly AclUser[] {
    return [...this.#users.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  get(name: string): AclUser | undefined {
    return this.#users.get(name)
  }

  /** A user that may do nothing, not yet among the others. */
  newUser(name: string): AclUser {
    return new AclUser(name, this.catalog, () => this.#config.values.aclPubsubDefault === 'allchannels')
  }

  /** Gives the user the rules of `next`, which bears its name; a new one when there was none. */
  put(next: AclUser): AclUser {
    const user = this.#users.get(next.name)
    if (user === undefined) {
      this.#users.set(next.name, next)
      return next
    }
    user.become(next)
    if (user === this.default) this.onDefaultChange()
    return user
  }

  /** Removes and returns it; undefined when there was none. */
  delete(name: string): AclUser | undefined {
    const user = this.#users.get(name)
    this.#users.delete(name)
    return user
  }

  /**
   * Takes the users of the configuration, or of the aclfile, at the start.
   * @throws UsageError
   */
  loadAtStart(): void {
    const lines = this.#config.users
    if (this.file !== undefined) {
      if (lines.length > 0) throw new UsageError('users stand in the configuration or in the aclfile, not in both')
      try {
        this.load()
      } catch (error) {
        throw error instanceof AclFileFault ? new UsageError(error.message) : error
      }
      return
    }
    const seen = new Set<string>()
    for (const { words, where } of lines) {
      const [name, ...rules] = words
      const shown = `${where}, 'user ${words.join(' ')}'`
      if (name === undefined || !isUserName(name)) throw new UsageError(`${shown}: the name of the user is missing`)
      if (seen.has(name)) throw new UsageError(`${shown}: Duplicate user found. A user can only be defined once`)
      seen.add(name)
      const user = this.newUser(name)
      // As in Redis: the default user of a file starts from nothing at all.
      if (name === 'default') user.apply('reset')
      const joined = joinSelectors(rules)
      if (!Array.isArray(joined)) throw new UsageError(`${shown}: Unmatched parenthesis in selector definition`)
      for (const rule of joined) {
        try {
          user.apply(rule)
        } catch (error) {
          if (!(error instanceof AclFault)) throw error
          throw new UsageError(`${shown}: Error in user declaration '${rule}': ${error.message}`)
        }
      }
      this.put(user)
    }
  }

  /**
   * Replaces all users by those of the aclfile. Returns the ones that are no more.
   * @throws AclFileFault with Redis' text; then nothing has changed
   */
  load(): readonly AclUser[] {
    const path = this.file!
    let text: string
    try {
      text = readFileSync(path, 'latin1')
    } catch (error) {
      throw new AclFileFault(`Error loading ACLs, opening file '${path}': ${systemReason(error)}`)
    }
    const loaded = this.#read(text, path)
    const gone = [...this.#users.values()].filter(user => user !== this.default)
    this.#users = new Map([['default', this.default]])
    const byDefault = loaded.get('default') ?? this.newUser('default')
    if (!loaded.has('default')) for (const rule of OPEN_TO_ALL) byDefault.apply(rule)
    for (const user of loaded.values()) if (user.name !== 'default') this.put(user)
    this.put(byDefault)
    return gone
  }

  /** Writes the aclfile. @throws what the system says */
  save(): void {
    replaceFile(this.file!, this.all.map(user => `${user.line()}\n`).join(''))
  }

  #read(text: string, path: string): Map<string, AclUser> {
    const users = new Map<string, AclUser>()
    const faults: string[] = []
    text.split('\n').forEach((line, i) => {
      if (line.trim() === '') return
      const where = `${path}:${i + 1}`
      const words = line.trim().split(' ')
      if (words[0] !== 'user' || words.length < 2) {
        faults.push(`${where} should start with user keyword followed by the username. `)
      } else if (!isUserName(words[1])) {
        faults.push(`${where}: username '${words[1]}' contains invalid characters. `)
      } else if (users.has(words[1])) {
        faults.push(`WARNING: ${where}: Duplicate user '${words[1]}' found. `)
      } else {
        const user = this.newUser(words[1])
        users.set(user.name, user)
        faults.push(...readRules(user, words.slice(2), where))
      }
    })
    if (faults.length > 0) throw new AclFileFault(faults.join('') + NOTHING_DONE)
    return users
  }

  #setDefaultPassword(password: string): void {
    this.default.apply('resetpass')
    this.default.apply(password === '' ? 'nopass' : `>${password}`)
    this.onDefaultChange()
  }
}

/** Applies what stands in a line of an aclfile; returns what is wrong with it. */
function readRules(user: AclUser, words: readonly string[], where: string): string[] {
  const rules = joinSelectors(words)
  if (!Array.isArray(rules)) return [`${where}: Unmatched parenthesis in selector definition.`]
  const faults: string[] = []
  let told = false
  for (const rule of rules) {
    try {
      user.apply(rule)
    } catch (error) {
      if (!(error instanceof AclFault)) throw error
      if (error.message === aclFaults.unknown) {
        faults.push(`${where}: Error in applying operation '${rule}': ${error.message}. `)
      } else if (!told) {
        // The first one may well be the cause of those behind it.
        told = true
        faults.push(`${where}: ${error.message}. `)
      }
    }
  }
  return faults
}

/** A blank between quotes never occurs: no name, pattern or hash has one. */
function quotedLine(line: string): string {
  const words = line.split(' ')
  return words.map(word => (/^[\x21\x23-\x26\x28-\x5b\x5d-\x7e]+$/.test(word) ? word : quoteWord(word))).join(' ')
}

export function isUserName(name: string): boolean {
  return !/[\s\0]/.test(name)
}
