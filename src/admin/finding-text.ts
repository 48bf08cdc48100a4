// Findings of a check, and names of keys, in words for a terminal. Used by: the tools.

import type { Finding } from './store-check.js'

export function findingText({ database, key, what }: Finding): string {
  if (key === undefined) return what
  return `key ${quoted(key)} of ${database === undefined ? 'a flushed database' : `database ${database}`}: ${what}`
}

/** A name with what cannot be printed as escapes. */
export function quoted(name: string): string {
  const escape = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  return `"${name.replace(/["\\]/g, '\\$&').replace(/[^\x20-\x7e]/g, escape)}"`
}
