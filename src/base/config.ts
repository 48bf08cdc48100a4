// The configuration of a running server: values by directive, CONFIG GET, SET and REWRITE, and who hears of changes.
// Used by: everything that is configured (values), commands/config, main. Uses: the tables of options, config-file.
//
// Invariants: (1) `values` mirrors the texts that CONFIG GET shows; (2) a set of several directives happens as a whole
// or not at all, listeners included; (3) only this file writes to `values`.

import { resolve } from 'node:path'
import { ReplyError, UsageError } from './errors.js'
import { readCommandLine } from './command-line.js'
import { quoteWord, readConfigFile, replaceFile, rewriteText, systemReason } from './config-file.js'
import type { Directive } from './config-file.js'
import { INERT_PARTS } from './config-inert.js'
import { OPTIONS, camelCase } from './config-options.js'
import type { ConfigValues, Option } from './config-options.js'
import { outputLimits, savePoints } from './config-special.js'
import { OptionError } from './config-types.js'
import { globMatch, isLiteral } from './glob.js'

export type { ConfigValues } from './config-options.js'

type Listener = (value: never) => void

/** What a successful set() did. */
export interface ConfigChange {
  /** Directives whose value is another one now; names, not aliases. */
  readonly changed: ReadonlySet<string>
  /** Puts the old values back and tells the listeners; for a change that failed later (a port that cannot be bound). */
  undo(): void
}

const REFUSED: Record<string, string> = {
  'rename-command': 'commands cannot be renamed; use a password or a firewall to keep clients away from them',
  loadmodule: 'modules are not supported',
  sentinel: 'sentinel mode is not supported',
}

export class Config {
  readonly values: ConfigValues
  /** The `user` lines it was given, unchecked. */
  readonly users: Directive[] = []
  /** What a rewrite writes as `user` lines; whoever keeps the users sets it. */
  userLines: (() => readonly string[]) | undefined
  /** Absolute path of the file it was read from. */
  readonly file: string | undefined
  readonly #options = new Map<string, Option>()
  /** Aliases and names to names. */
  readonly #names = new Map<string, string>()
  readonly #all = new Map<string, unknown>()
  readonly #defaults = new Map<string, unknown>()
  readonly #listeners = new Map<string, Listener[]>()
  readonly #fields = new Map<string, string>()

  /** @param given values that differ from the defaults; for embedding and tests */
  constructor(given: Partial<ConfigValues> = {}, file?: string) {
    this.file = file
    const fields: Record<string, unknown> = {}
    for (const [name, option] of Object.entries(OPTIONS)) {
      this.#addOption(name, option)
      fields[camelCase(name)] = option.default
      this.#fields.set(name, camelCase(name))
    }
    for (const part of Object.values(INERT_PARTS)) {
      for (const [name, option] of Object.entries(part)) this.#addOption(name, option)
    }
    this.values = fields as unknown as ConfigValues
    this.#defaults.set('dir', resolve(OPTIONS.dir.default))
    this.#put('dir', resolve(OPTIONS.dir.default))
    for (const [name, field] of this.#fields) {
      const value = (given as Record<string, unknown>)[field]
      if (value !== undefined) this.#put(name, value)
    }
  }

  /**
   * The configuration of redis-server's command line: `[file] [--name value …] [-]`.
   * @throws UsageError naming the option or the line of the file, what is wrong with it and what would be right
   */
  static fromCommandLine(argv: readonly string[], stdin?: () => string): Config {
    const { file, directives } = readCommandLine(argv, stdin)
    const config = new Config({}, file)
    config.#load(directives)
    return config
  }

  /** Calls `fn` after each change of a directive (not now). What it throws refuses the change with its message. */
  onChange<K extends keyof typeof OPTIONS>(
    name: K,
    fn: (value: (typeof OPTIONS)[K] extends Option<infer V> ? V : never) => void,
  ): void {
    const listeners = this.#listeners.get(name) ?? []
    listeners.push(fn)
    this.#listeners.set(name, listeners)
  }

  /** The text CONFIG GET shows for a name or an alias in any case; undefined when there is none. */
  get(name: string): string | undefined {
    const known = this.#names.get(name.toLowerCase())
    return known === undefined ? undefined : this.#text(known)
  }

  /** Names and texts that the patterns select, each once. Hidden directives must be named. */
  match(patterns: readonly string[]): [name: string, text: string][] {
    const found = new Map<string, string>()
    for (const pattern of patterns) {
      const lower = pattern.toLowerCase()
      if (isLiteral(lower)) {
        const text = this.get(lower)
        if (text !== undefined) found.set(lower, text)
        continue
      }
      for (const [name, known] of this.#names) {
        if (!this.#options.get(known)!.hidden && globMatch(lower, name)) found.set(name, this.#text(known))
      }
    }
    return [...found]
  }

  /**
   * CONFIG SET: all pairs or none.
   * @param mayProtected whether the client may set protected directives
   * @throws ReplyError with Redis' words
   */
  set(pairs: readonly (readonly [name: string, text: string])[], mayProtected = false): ConfigChange {
    const names = this.#checkNames(pairs, mayProtected)
    const before = new Map<string, unknown>()
    pairs.forEach(([given, text], i) => {
      const name = names[i]
      const option = this.#options.get(name)!
      try {
        const value = parseOption(option, option.type.words ? splitText(text) : [text], this.#all.get(name))
        if (!before.has(name)) before.set(name, this.#all.get(name))
        this.#put(name, value)
      } catch (error) {
        this.#restore(before)
        throw refusal(given, error)
      }
    })
    const changed = new Set<string>()
    for (const [name, old] of before) {
      const option = this.#options.get(name)!
      if (option.type.format(old) !== this.#text(name)) changed.add(name)
    }
    const told = new Set<string>()
    const undo = () => {
      this.#restore(before)
      for (const name of told) this.#tell(name)
    }
    names.forEach((name, i) => {
      if (!changed.has(name) || told.has(name)) return
      told.add(name)
      try {
        this.#tell(name)
      } catch (error) {
        undo()
        throw refusal(pairs[i][0], error)
      }
    })
    return { changed, undo }
  }

  /**
   * CONFIG REWRITE: the file again, with every value that is not the default. Comments and order stay.
   * @param all also what is the default
   */
  rewrite(all = false): void {
    if (this.file === undefined) throw new ReplyError('ERR The server is running without a config file')
    try {
      const text = readConfigFile(this.file)
      const wanted = new Map<string, readonly string[]>()
      const canonical = (name: string) => this.#names.get(name) ?? name
      const present = rewriteNames(text, canonical)
      for (const [name, option] of this.#options) {
        const isDefault = option.type.format(this.#defaults.get(name)) === this.#text(name)
        if (all ? !option.hidden : !isDefault || present.has(name)) wanted.set(name, this.#lines(name))
      }
      if (this.userLines !== undefined) wanted.set('user', this.userLines())
      replaceFile(
        this.file,
        rewriteText(text, wanted, canonical, (name, lines) => this.#says(name, lines)),
      )
    } catch (error) {
      throw new ReplyError(`ERR Rewriting config file: ${systemReason(error)}`)
    }
  }

  #addOption(name: string, option: Option): void {
    this.#options.set(name, option)
    this.#names.set(name, name)
    for (const alias of option.aliases) this.#names.set(alias, name)
    this.#all.set(name, option.default)
    this.#defaults.set(name, option.default)
  }

  #put(name: string, value: unknown): void {
    this.#all.set(name, value)
    const field = this.#fields.get(name)
    if (field !== undefined) (this.values as Record<string, unknown>)[field] = value
  }

  #restore(before: ReadonlyMap<string, unknown>): void {
    for (const [name, value] of before) this.#put(name, value)
  }

  #tell(name: string): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(this.#all.get(name) as never)
  }

  #text(name: string): string {
    return this.#options.get(name)!.type.format(this.#all.get(name))
  }

  #checkNames(pairs: readonly (readonly [string, string])[], mayProtected: boolean): string[] {
    const seen = new Set<string>()
    return pairs.map(([given]) => {
      const lower = given.toLowerCase()
      const name = this.#names.get(lower)
      if (name === undefined) {
        throw new ReplyError(`ERR Unknown option or number of arguments for CONFIG SET - '${given}'`)
      }
      const option = this.#options.get(name)!
      // In this order: `dir`, which Redis lets be changed and protects, is both here.
      if (option.protected && !mayProtected) throw refusal(given, new OptionError("can't set protected config"))
      if (option.immutable) throw refusal(given, new OptionError("can't set immutable config"))
      if (seen.has(lower)) throw refusal(given, new OptionError('duplicate parameter'))
      seen.add(lower)
      return name
    })
  }

  #load(directives: readonly Directive[]): void {
    const seen = new Set<string>()
    for (const directive of directives) {
      const { name: given, words, where } = directive
      if (given === 'user') {
        this.users.push(directive)
        continue
      }
      const name = this.#names.get(given)
      const shown = `${where}, '${[given, ...words.map(word => `"${word}"`)].join(' ')}'`
      if (name === undefined) {
        const why =
          REFUSED[given] ?? 'Bad directive or wrong number of arguments; docs/configuration.md lists all directives'
        throw new UsageError(`${shown}: ${why}`)
      }
      const option = this.#options.get(name)!
      try {
        const split = option.type.words && words.length === 1 ? splitText(words[0]) : words
        if (!option.type.words && words.length !== 1) throw new OptionError('wrong number of arguments')
        const value = parseOption(option, split, this.#all.get(name))
        const adds = option.accumulates && seen.has(name) && split.length > 0
        this.#put(name, adds ? [...(this.#all.get(name) as unknown[]), ...(value as unknown[])] : value)
        seen.add(name)
      } catch (error) {
        if (!(error instanceof OptionError)) throw error
        throw new UsageError(`${shown}: ${error.message}; ${name} takes ${option.type.description}`)
      }
    }
    this.#put('dir', resolve(this.values.dir))
  }

  /** Lines of a directive as they stand in a file. */
  #lines(name: string): string[] {
    const option = this.#options.get(name)!
    const text = this.#text(name)
    if (option.type === savePoints && text !== '') return pieces(text, 2).map(piece => `save ${piece}`)
    if (option.type === outputLimits) return pieces(text, 4).map(piece => `${name} ${piece}`)
    return [`${name} ${option.type.words && text !== '' ? text : quoteWord(text)}`]
  }

  /** Whether lines of a file give the present value. */
  #says(name: string, lines: readonly (readonly string[])[]): boolean {
    if (name === 'user') return false
    const reread = new Config()
    try {
      reread.#load(lines.map(words => ({ name, words, where: '' })))
    } catch {
      return false
    }
    return reread.#text(name) === this.#text(name)
  }
}

function parseOption(option: Option, words: readonly string[], previous: unknown): unknown {
  const value = option.type.parse(words, previous)
  const why = option.refuse?.(value)
  if (why !== undefined) throw new OptionError(why)
  return value
}

function splitText(text: string): string[] {
  return text.split(' ').filter(word => word !== '')
}

function pieces(text: string, words: number): string[] {
  const all = text.split(' ')
  return Array.from({ length: all.length / words }, (_, i) => all.slice(i * words, (i + 1) * words).join(' '))
}

function rewriteNames(text: string, canonical: (name: string) => string): Set<string> {
  return new Set(text.split('\n').map(line => canonical(line.trim().split(/\s/, 1)[0].toLowerCase())))
}

function refusal(given: string, error: unknown): ReplyError {
  const why = error instanceof Error ? error.message : String(error)
  return new ReplyError(`ERR CONFIG SET failed (possibly related to argument '${given}') - ${why}`)
}
