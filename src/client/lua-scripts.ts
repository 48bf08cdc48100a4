// The Lua scripts of a layer: one folder of .lua files, read once, run by EVALSHA over a client of ioredis, and loaded
// again when the server has forgotten them. Used by: the layers (mailbox, queue, worker).
//
// A file `name.lua` is the script `name`. A file `_part.lua` is no script: the line `-- include _part.lua` of another
// file stands for its text, so that scripts can share functions although each must be whole for the server.
//
// Invariant: a batch runs in its order. The first batch on a connection carries the SCRIPT LOADs in front of its calls,
// in the same pipeline; only a SCRIPT FLUSH behind our back breaks the order, see runAll.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Redis } from 'ioredis'
import { UsageError } from '../base/errors.js'

export type ScriptArgument = string | Buffer | number

/** One call of a script. */
export interface ScriptCall<Name extends string = string> {
  readonly script: Name
  readonly keys: readonly (string | Buffer)[]
  readonly args: readonly ScriptArgument[]
}

/** What a call of a batch came to: exactly one of the two. Bulk strings of `reply` are Buffers. */
export type ScriptOutcome =
  { readonly reply: unknown; readonly error?: undefined } | { readonly error: Error; readonly reply?: undefined }

interface Source {
  readonly text: string
  readonly sha1: string
}

const INCLUDE = /^-- include (_[a-z0-9_-]+\.lua)$/gm

export class LuaScripts<Name extends string = string> {
  readonly #sources: ReadonlyMap<string, Source>
  /** Clients whose server has been given the scripts; a client forgotten here only costs a SCRIPT LOAD more. */
  readonly #loaded = new WeakSet<object>()

  private constructor(sources: ReadonlyMap<string, Source>) {
    this.#sources = sources
  }

  /**
   * Reads all scripts of a folder: `LuaScripts.from<'publish'>(new URL('../../lua/queue/', import.meta.url))`, a path
   * that is right from src/ and from dist/.
   * @throws UsageError when a part that a script includes is missing
   */
  static from<Name extends string = string>(folder: URL | string): LuaScripts<Name> {
    const path = typeof folder === 'string' ? folder : fileURLToPath(folder)
    const sources = new Map<string, Source>()
    for (const file of readdirSync(path).sort()) {
      if (!file.endsWith('.lua') || file.startsWith('_')) continue
      const text = included(path, file)
      sources.set(file.slice(0, -'.lua'.length), { text, sha1: createHash('sha1').update(text).digest('hex') })
    }
    return new LuaScripts<Name>(sources)
  }

  get names(): readonly Name[] {
    return [...this.#sources.keys()] as Name[]
  }

  /** The whole text as the server gets it, parts included. */
  text(name: Name): string {
    return this.#source(name).text
  }

  sha1(name: Name): string {
    return this.#source(name).sha1
  }

  /** Gives the server all scripts now; otherwise the first call does. */
  async load(client: Redis): Promise<void> {
    const pipeline = client.pipeline()
    for (const { text } of this.#sources.values()) pipeline.call('SCRIPT', 'LOAD', text)
    for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error
    this.#loaded.add(client)
  }

  /** One call. Bulk strings of the reply are Buffers. @throws the server's error, a script's own included */
  async run(client: Redis, name: Name, keys: ScriptCall['keys'], args: ScriptCall['args']): Promise<unknown> {
    const words = callWords(this.#source(name), keys, args)
    try {
      return await client.callBuffer('EVALSHA', words)
    } catch (error) {
      if (!isNoScript(error)) throw error
      await this.load(client)
      return client.callBuffer('EVALSHA', words)
    }
  }

  /**
   * Many calls in one pipeline, their outcomes in the same order. When the scripts vanished from the server meanwhile,
   * the calls that met nothing are sent again behind the others: calls whose order matters belong into one script.
   * @throws when the connection breaks; then it is unknown which calls ran
   */
  async runAll(client: Redis, calls: readonly ScriptCall<Name>[]): Promise<ScriptOutcome[]> {
    const outcomes = await this.#send(client, calls)
    const missed = calls.map((_, i) => i).filter(i => isNoScript(outcomes[i].error))
    if (missed.length === 0) return outcomes
    this.#loaded.delete(client)
    const again = await this.#send(
      client,
      missed.map(i => calls[i]),
    )
    missed.forEach((at, i) => (outcomes[at] = again[i]))
    return outcomes
  }

  async #send(client: Redis, calls: readonly ScriptCall<Name>[]): Promise<ScriptOutcome[]> {
    const pipeline = client.pipeline()
    const loads = this.#loaded.has(client) ? 0 : this.#sources.size
    if (loads > 0) for (const { text } of this.#sources.values()) pipeline.call('SCRIPT', 'LOAD', text)
    for (const { script, keys, args } of calls) {
      pipeline.callBuffer('EVALSHA', callWords(this.#source(script), keys, args))
    }
    const results = (await pipeline.exec()) ?? []
    for (const [error] of results.slice(0, loads)) if (error) throw error
    this.#loaded.add(client)
    return results.slice(loads).map(([error, reply]) => (error ? { error } : { reply }))
  }

  #source(name: string): Source {
    const source = this.#sources.get(name)
    if (source === undefined) throw new UsageError(`no script is named ${name}; there are ${this.names.join(', ')}`)
    return source
  }
}

function callWords(source: Source, keys: ScriptCall['keys'], args: ScriptCall['args']): ScriptArgument[] {
  return [source.sha1, keys.length, ...keys, ...args]
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

function included(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8').replace(INCLUDE, (_, part: string) => {
    try {
      return readFileSync(join(folder, part), 'utf8').trimEnd()
    } catch (error) {
      throw new UsageError(`${file} includes ${part}, which cannot be read: ${String(error)}`)
    }
  })
}
