// The loaded function libraries: compiled code beside the code that is kept in the store (types/libraries). A change is
// made to a copy of the names first and takes effect as a whole, or not at all. Used by: script-host.

import { CorruptionError, ReplyError } from '../base/errors.js'
import type { Library } from '../commands/scripts.js'
import type { LuaState } from '../native/lua.js'
import type { Libraries } from '../types/libraries.js'
import type { Registered, ScriptCalls } from './script-calls.js'
import { BAD_NAME, isLibraryName, readLibraryHead } from './script-shebang.js'

export interface LoadedLibrary extends Library {
  readonly functions: readonly Registered[]
  readonly reference: number
}

/** How long a library's code may run while it is loaded. */
const LOAD_MS_MAX = 500
const ENGINE = /^lua$/i

type Loaded = Map<string, LoadedLibrary>

export class FunctionLibraries {
  readonly #calls: ScriptCalls
  #kept: Libraries | undefined
  #loaded: Loaded = new Map()
  /** By name in lower case: functions are found in any case, libraries are not. */
  #functions = new Map<string, Registered>()
  #state: LuaState | undefined

  constructor(calls: ScriptCalls) {
    this.#calls = calls
  }

  get all(): readonly LoadedLibrary[] {
    return [...this.#loaded.values()]
  }

  /** Whether `kept` is what is loaded, so that nothing needs an interpreter. */
  isLoaded(kept: Libraries): boolean {
    return this.#kept === kept || (kept.codes.size === 0 && this.#loaded.size === 0)
  }

  find(name: string): Registered | undefined {
    return this.#functions.get(name.toLowerCase())
  }

  /**
   * Compiles what `kept` holds, after a start or a reload.
   * @throws CorruptionError when a library that could be loaded once cannot be any more
   */
  adopt(kept: Libraries, state: LuaState): void {
    this.#state = state
    if (this.#kept === kept) return
    for (const library of this.#loaded.values()) this.#drop(library)
    const loaded: Loaded = new Map()
    for (const [name, code] of kept.codes) {
      try {
        loaded.set(name, this.#compile(code))
      } catch (error) {
        throw new CorruptionError(`function library "${name}": ${error instanceof Error ? error.message : error}`)
      }
    }
    this.#kept = kept
    this.#use(loaded)
  }

  /** Returns the name. @throws ReplyError; then nothing has changed */
  load(code: Buffer, replace: boolean): string {
    const head = readLibraryHead(code.latin1Slice())
    if (!ENGINE.test(head.engine)) throw new ReplyError(`ERR Engine '${head.engine}' not found`)
    const known = this.#loaded.get(head.name)
    if (known !== undefined && !replace) throw new ReplyError(`ERR Library '${head.name}' already exists`)
    const library = this.#compile(code)
    const loaded = new Map(this.#loaded)
    loaded.delete(head.name)
    this.#join(loaded, library)
    if (known !== undefined) this.#drop(known)
    this.#use(loaded)
    this.#kept!.set(head.name, code)
    return head.name
  }

  /** @throws ReplyError; then nothing has changed */
  restore(codes: readonly Buffer[], policy: 'flush' | 'append' | 'replace'): void {
    const loaded: Loaded = policy === 'flush' ? new Map() : new Map(this.#loaded)
    const fresh: LoadedLibrary[] = []
    const replaced: LoadedLibrary[] = policy === 'flush' ? this.all.slice() : []
    try {
      for (const code of codes) {
        const library = this.#compile(code)
        fresh.push(library)
        const known = loaded.get(library.name)
        if (known !== undefined) {
          if (policy !== 'replace') throw new ReplyError(`ERR Library ${library.name} already exists`)
          replaced.push(known)
          loaded.delete(library.name)
        }
      }
      for (const library of fresh) this.#check(loaded, library)
      for (const library of fresh) loaded.set(library.name, library)
    } catch (error) {
      for (const library of fresh) this.#drop(library)
      throw error
    }
    for (const library of replaced) this.#drop(library)
    this.#use(loaded)
    if (policy === 'flush') this.#kept!.clear()
    for (const { name, code } of fresh) this.#kept!.set(name, code)
  }

  delete(name: string): void {
    const known = this.#loaded.get(name)
    if (known === undefined) throw new ReplyError('ERR Library not found')
    const loaded = new Map(this.#loaded)
    loaded.delete(name)
    this.#drop(known)
    this.#use(loaded)
    this.#kept!.delete(name)
  }

  flush(kept: Libraries): void {
    for (const library of this.#loaded.values()) this.#drop(library)
    this.#use(new Map())
    this.#kept = kept
    kept.clear()
  }

  #join(loaded: Loaded, library: LoadedLibrary): void {
    try {
      this.#check(loaded, library)
    } catch (error) {
      this.#drop(library)
      throw error
    }
    loaded.set(library.name, library)
  }

  /** Names of functions are unique among all libraries. */
  #check(loaded: Loaded, library: LoadedLibrary): void {
    for (const other of loaded.values()) {
      for (const { name } of other.functions) {
        if (library.functions.some(one => sameName(one.name, name))) {
          throw new ReplyError(`ERR Function ${name} already exists`)
        }
      }
    }
  }

  #use(loaded: Loaded): void {
    this.#loaded = loaded
    this.#functions = new Map()
    for (const library of loaded.values()) {
      for (const one of library.functions) this.#functions.set(one.name.toLowerCase(), one)
    }
  }

  #compile(code: Buffer): LoadedLibrary {
    const state = this.#state!
    const head = readLibraryHead(code.latin1Slice())
    const reference = state.compile(code.subarray(head.codeAt), 'library')
    if (typeof reference === 'string') throw new ReplyError(`ERR Error compiling function: ${reference}`)
    const functions: Registered[] = []
    const library = { name: head.name, code, functions, reference }
    try {
      this.#run(reference, functions)
    } catch (error) {
      this.#drop(library)
      throw error
    }
    return library
  }

  /** Runs the library's code, which registers its functions. */
  #run(reference: number, functions: Registered[]): void {
    const state = this.#state!
    this.#calls.register = one => {
      functions.push(one) // first of all, so that its reference is given back whatever is wrong with it
      if (!isLibraryName(one.name)) throw new ReplyError(BAD_NAME)
      if (functions.some(other => other !== one && sameName(other.name, one.name))) {
        throw new ReplyError('ERR Function already exists in the library')
      }
    }
    const thresholdMs = state.thresholdMs
    state.thresholdMs = LOAD_MS_MAX
    const failure = state.load(reference)
    state.thresholdMs = thresholdMs
    this.#calls.register = undefined
    if (failure !== undefined) throw new ReplyError(`ERR Error registering functions: ${failure.text}`)
    if (functions.length === 0) throw new ReplyError('ERR No functions registered')
  }

  #drop(library: LoadedLibrary): void {
    for (const { reference } of library.functions) this.#state!.drop(reference)
    this.#state!.drop(library.reference)
  }
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
