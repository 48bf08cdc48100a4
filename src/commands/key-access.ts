// The keys of a whole request with what the command does to each, for COMMAND GETKEYS and the rules of users.

import type { Request } from '../resp/request.js'
import type { CommandSpec, KeySpec } from './spec.js'
import { keysOf } from './table.js'

export interface KeyPlace {
  /** Index of the argument. */
  readonly at: number
  readonly key: KeySpec
}

/** Positions of the keys with the specification that found each; none when one of them does not fit the request. */
export function keyPlaces(spec: Pick<CommandSpec, 'keys'>, request: Request): KeyPlace[] {
  const places: KeyPlace[] = []
  for (const key of spec.keys) {
    const found = keysOf({ keys: [key] }, request)
    if (found === undefined) return []
    for (const at of found) places.push({ at, key })
  }
  return places
}

/** Behind the name, the key and the value. */
const FIRST_OPTION = 3

/**
 * The flags of a key in this very request. 'variable_flags' stands for commands that return the old value only when
 * they are asked to: without the word GET they overwrite blindly.
 */
export function flagsIn({ flags }: KeySpec, request: Request): readonly string[] {
  if (!flags.includes('variable_flags')) return flags.filter(flag => flag !== 'incomplete')
  for (let i = FIRST_OPTION; i < request.argc; i++) {
    if (request.is(i, 'GET')) return flags.filter(flag => flag !== 'variable_flags')
  }
  return ['OW', 'update']
}

export interface KeyAccess {
  readonly at: number
  /** What a user must be allowed: to see the value, to change it. A command that only asks whether a key is there is
   * neither. */
  readonly reads: boolean
  readonly writes: boolean
}

/** What the request does to its keys; nothing when its arguments fit no specification, as it will be refused. */
export function keyAccesses(spec: Pick<CommandSpec, 'keys'>, request: Request): KeyAccess[] {
  return keyPlaces(spec, request).map(({ at, key }) => {
    const flags = flagsIn(key, request)
    return {
      at,
      reads: flags.includes('access'),
      writes: flags.includes('update') || flags.includes('insert') || flags.includes('delete'),
    }
  })
}
