// The Lua interpreter of native/src/lua_*.cc. Used by: exec/script-host. Has no twin: without the addon there are no
// scripts.
//
// Everything crosses as RESP in two shared buffers: `wire` carries what a script asks for, and its result at the end;
// `reply` what it was answered.

import { addon } from './addon.js'

/** What a script asks for; the same numbers stand in native/src/lua_host.h. */
export const Service = {
  Command: 0,
  Sha1: 1,
  Log: 2,
  Protocol: 3,
  AclCheck: 4,
  Register: 5,
  Busy: 6,
  Adopt: 7,
} as const

/** Answers to Service.Busy. */
export const Verdict = { GoOn: 0, Kill: 1, TimeOut: 2 } as const

/** The addon's part; all integers are checked here or are our own. */
export interface LuaAddon {
  luaOpen(callback: LuaCallback, reply: Buffer, bytesMax: number, deprecated: number): unknown
  luaCompile(handle: unknown, source: Buffer, library: number): number
  luaLoad(handle: unknown, reference: number): number
  luaRun(
    handle: unknown,
    reference: number,
    buffer: Buffer,
    from: number,
    to: number,
    skip: number,
    keys: number,
    flags: number,
  ): number
  luaDrop(handle: unknown, reference: number): void
  luaTidy(handle: unknown, collect: number): number
  luaThreshold(handle: unknown, ms: number): void
}

type LuaCallback = (service: number, used: number, buffer?: Buffer) => number | Buffer

/**
 * Answers a request of the running script: an RESP array in wire[0, used). Returns how many bytes of the reply lie in
 * `reply`, or a Buffer with all of it when it did not fit; for Service.Busy a Verdict. Must not throw.
 */
export type Serve = (service: number, used: number) => number | Buffer

/** Room for replies; longer ones cross in a Buffer of their own. */
const REPLY_BYTES = 64 * 1024

export interface LuaFailure {
  /** With its code: 'ERR …'. */
  readonly text: string
  /** '@user_script:3', or '' when the place is not known. */
  readonly place: string
  /** The text is an error reply that was counted when it was made. */
  readonly counted: boolean
  /** The script returned it as its result; otherwise it was raised. */
  readonly returned: boolean
}

export class LuaState {
  wire: Buffer = Buffer.alloc(0)
  readonly reply = Buffer.allocUnsafeSlow(REPLY_BYTES)
  readonly #addon: LuaAddon
  readonly #handle: unknown
  #thresholdMs = 0

  /**
   * Undefined when there is no addon, or no memory for an interpreter.
   * @param deprecated whether scripts have getfenv, setfenv and newproxy
   */
  static open(serve: Serve, bytesMax: number, deprecated = false): LuaState | undefined {
    if (addon?.luaOpen === undefined) return undefined
    const state = new LuaState(addon, serve, bytesMax, deprecated)
    return state.#handle === undefined ? undefined : state
  }

  private constructor(lua: LuaAddon, serve: Serve, bytesMax: number, deprecated: boolean) {
    this.#addon = lua
    const callback: LuaCallback = (service, used, buffer) => {
      if (buffer === undefined) return serve(service, used)
      this.wire = buffer
      return 0
    }
    this.#handle = lua.luaOpen(callback, this.reply, bytesMax, deprecated ? 1 : 0)
  }

  /** Compiles a script or a library; returns its reference or the compiler's message. */
  compile(source: Buffer, kind: 'script' | 'library'): number | string {
    const result = this.#addon.luaCompile(this.#handle, source, kind === 'library' ? 1 : 0)
    return result >= 0 ? result : this.wire.latin1Slice(0, -1 - result)
  }

  /** Runs a library's code; undefined when all went well. */
  load(reference: number): LuaFailure | undefined {
    const result = this.#addon.luaLoad(this.#handle, reference)
    return result >= 0 ? undefined : this.#failure(-1 - result)
  }

  /**
   * Runs a script (KEYS and ARGV) or a function (its two arguments) with the arguments behind the first `skip` of the
   * RESP array buffer[from, to), the first `keys` of them keys. Returns how many bytes of the reply lie in `wire`.
   */
  run(
    reference: number,
    kind: 'script' | 'function',
    buffer: Buffer,
    from: number,
    to: number,
    skip: number,
    keys: number,
    protocol: number,
  ): number | LuaFailure {
    const flags = (kind === 'function' ? 1 : 0) | (protocol === 3 ? 2 : 0)
    const result = this.#addon.luaRun(this.#handle, reference, buffer, from, to, skip, keys, flags)
    return result >= 0 ? result : this.#failure(-1 - result)
  }

  drop(reference: number): void {
    this.#addon.luaDrop(this.#handle, reference)
  }

  /** Bytes that Lua holds. */
  get bytes(): number {
    return this.#addon.luaTidy(this.#handle, 0)
  }

  /** Gives back what nobody needs any more. */
  collect(): void {
    this.#addon.luaTidy(this.#handle, 1)
  }

  /** Milliseconds after which Service.Busy is asked for again and again; 0 for never. */
  get thresholdMs(): number {
    return this.#thresholdMs
  }
  set thresholdMs(ms: number) {
    this.#thresholdMs = ms
    this.#addon.luaThreshold(this.#handle, ms)
  }

  #failure(bytes: number): LuaFailure {
    const lines = this.wire.latin1Slice(0, bytes)
    const counted = lines.lastIndexOf('\n')
    const place = lines.lastIndexOf('\n', counted - 1)
    const kind = lines.slice(counted + 1)
    return {
      text: lines.slice(0, place),
      place: lines.slice(place + 1, counted),
      counted: kind === kind.toUpperCase(),
      returned: kind.toLowerCase() === 'r',
    }
  }
}
