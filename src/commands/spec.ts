// The row of a command. COMMAND, arity checks, key extraction, ACL categories, docs and the replay of the journal all
// read rows; nothing else in the program branches on a command's name.

import type { Request } from '../resp/request.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'

/** Bits of CommandSpec.flags; names as COMMAND INFO prints them stand in FLAG_NAMES. */
export const Flag = {
  Write: 1 << 0,
  ReadOnly: 1 << 1,
  DenyOom: 1 << 2,
  Admin: 1 << 3,
  PubSub: 1 << 4,
  NoScript: 1 << 5,
  Blocking: 1 << 6,
  Loading: 1 << 7,
  Stale: 1 << 8,
  SkipMonitor: 1 << 9,
  SkipSlowlog: 1 << 10,
  Fast: 1 << 11,
  NoAuth: 1 << 12,
  MayReplicate: 1 << 13,
  NoMulti: 1 << 14,
  MovableKeys: 1 << 15,
  AllowBusy: 1 << 16,
  NoAsyncLoading: 1 << 17,
  NoMandatoryKeys: 1 << 18,
  /** Ours: only the journal's replay may run it. Not listed, unknown to clients. */
  Internal: 1 << 30,
} as const

export type CommandGroup =
  | 'generic'
  | 'string'
  | 'list'
  | 'set'
  | 'sorted-set'
  | 'hash'
  | 'pubsub'
  | 'transactions'
  | 'connection'
  | 'server'
  | 'scripting'
  | 'stream'
  | 'bitmap'
  | 'geo'
  | 'cluster'

/** One key specification, as COMMAND INFO shows them from Redis 7 on. */
export interface KeySpec {
  /**
   * 'RO' | 'RW' | 'OW' | 'RM' first, then 'access' 'update' 'insert' 'delete' 'not_key' 'incomplete' 'variable_flags'.
   */
  readonly flags: readonly string[]
  readonly begin: { readonly index: number } | { readonly keyword: string; readonly startFrom: number } | 'unknown'
  readonly find:
    | { readonly lastKey: number; readonly step: number; readonly limit: number }
    | { readonly keyNumIndex: number; readonly firstKey: number; readonly step: number }
    | 'unknown'
  /**
   * Positions that the form above cannot express, or only comes near to; then these count. Undefined when the request
   * is no possible one. Not shown to clients.
   */
  locate?(request: Request): readonly number[] | undefined
}

export interface CommandSpec<O = unknown> {
  /** Lower case. A subcommand is 'xgroup|create'. */
  readonly name: string
  /** As in Redis: the name counts; negative means at least. */
  readonly arity: number
  readonly flags: number
  /**
   * ACL categories without '@' beyond those that the flags imply (read, write, fast, slow, …): 'stream', 'keyspace' …
   */
  readonly categories: readonly string[]
  readonly keys: readonly KeySpec[]
  /** Arguments that are channels to publish or subscribe to, or patterns of them: users may be kept from them. */
  readonly channels?: { readonly first: number; readonly last: number; readonly pattern: boolean }
  readonly group: CommandGroup
  readonly since: string
  /** One sentence of our own. */
  readonly summary: string
  readonly complexity?: string
  /** Tips of COMMAND INFO, such as 'nondeterministic_output'. */
  readonly tips?: readonly string[]
  /** Takes requests with arguments in pieces (resp/large-request); others are given whole ones. */
  readonly takesLarge?: boolean
  /** Indices of arguments that MONITOR and SLOWLOG must not show: passwords. */
  secrets?(request: Request): readonly number[]
  /** Rows of a container command; then parse and run are not called for the container. */
  readonly subcommands?: readonly CommandSpec<never>[]
  /** Arguments only; must not look at data, clock or configuration. Throws ReplyError. */
  parse(args: Args): O
  /** Does the work and writes exactly one reply (or blocks). Throws ReplyError before any change. */
  run(ctx: CommandContext, options: O): void
}

/** Keeps the types of parse and run together; returns its argument. */
export function defineCommand<O>(spec: CommandSpec<O>): CommandSpec<never> {
  return spec as unknown as CommandSpec<never>
}

/** The key specification of `first[, last[, step]]`, positions as in COMMAND INFO. */
export function keysAt(flags: readonly string[], first: number, last = first, step = 1): KeySpec[] {
  return [{ flags, begin: { index: first }, find: { lastKey: last < 0 ? last : last - first, step, limit: 0 } }]
}
