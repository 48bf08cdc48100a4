// The script host as commands see it; implemented by exec/script-host.

import type { Request } from '../resp/request.js'
import type { CommandContext } from './context.js'
import type { TableRow } from './table.js'

/** Flags of a script or function, as its first line or its registration names them. */
export const ScriptFlag = {
  NoWrites: 1 << 0,
  AllowOom: 1 << 1,
  AllowStale: 1 << 2,
  NoCluster: 1 << 3,
  AllowCrossSlotKeys: 1 << 4,
} as const

export const SCRIPT_FLAG_NAMES: readonly (readonly [number, string])[] = [
  [ScriptFlag.NoWrites, 'no-writes'],
  [ScriptFlag.AllowOom, 'allow-oom'],
  [ScriptFlag.AllowStale, 'allow-stale'],
  [ScriptFlag.NoCluster, 'no-cluster'],
  [ScriptFlag.AllowCrossSlotKeys, 'allow-cross-slot-keys'],
]

export interface LibraryFunction {
  readonly name: string
  /** latin1; undefined when it was not given. */
  readonly description: string | undefined
  readonly flags: number
}

export interface Library {
  readonly name: string
  readonly code: Buffer
  readonly functions: readonly LibraryFunction[]
}

export interface RunningScript {
  readonly kind: 'script' | 'function'
  readonly name: string
  readonly command: readonly Buffer[]
  readonly durationMs: number
}

export interface Scripts {
  /**
   * Runs the script that is argument 1 of the request, its keys and arguments from argument 3 on, and writes the reply.
   * @throws ReplyError
   */
  evaluate(ctx: CommandContext, keys: number, readOnly: boolean): void
  /** The same with the digest of a script that is known. */
  evaluateSha(ctx: CommandContext, keys: number, readOnly: boolean): void
  /** Compiles and keeps a script; returns its SHA-1 digest. */
  load(source: Buffer): string
  /** Whether a script with that digest (in any case) is kept. */
  knows(sha: string): boolean
  flush(): void
  readonly scriptCount: number
  /** Bytes that the interpreter holds. */
  readonly memoryBytes: number

  /** Calls the function named by argument 1 of the request. */
  call(ctx: CommandContext, keys: number, readOnly: boolean): void
  /** Loads a library (shebang line and code) and returns its name. Changes nothing when it throws. */
  loadLibrary(ctx: CommandContext, code: Buffer, replace: boolean): string
  deleteLibrary(ctx: CommandContext, name: string): void
  flushLibraries(ctx: CommandContext): void
  /** Loads several at once, or none. */
  restoreLibraries(ctx: CommandContext, codes: readonly Buffer[], policy: 'flush' | 'append' | 'replace'): void
  libraries(ctx: CommandContext): readonly Library[]

  /**
   * Flags of a command that runs a script or function: those of its row without one that announces its own, as
   * EVAL with `#!lua flags=no-writes` and every function do.
   */
  commandFlags(row: TableRow, request: Request): number

  /** Scripts may call what is not allowed from scripts (DEBUG SET-DISABLE-DENY-SCRIPTS). */
  mayCallAll: boolean

  /** The script that runs while another client's command is answered in between. */
  readonly running: RunningScript | undefined
  /** What other clients are answered while it keeps them waiting. */
  readonly busyText: string | undefined
  /** Ends it at its next instruction. @throws ReplyError when it has written, or is of the other kind */
  kill(kind: 'script' | 'function'): void
}
