// What becomes of a process that reads a mapped file whose bytes cannot be had: LMDB reads its file through memory, and
// the system's answer to a failing device, or to a file that was cut short, is a signal. Either the process ends with
// words of ours, or, in a guarded file, the reader finds zeros in place of the page, takes them for damage, and can ask
// afterwards whether it was that. Used by: main, store. Without the addon the process ends without words.
//
// Invariant: zeros that were read as data are never written: whoever writes asks readFaults() before and after.

import { addon } from './addon.js'

/** The addon's part. Not in builds of before it was thought of. A number below zero is -errno. */
export interface BusErrorAddon {
  sayAtBusError?(words: Uint8Array): number
  guardMapped?(path: Uint8Array): number
  unguardMapped?(): number
  readFaults?(): number
  restorePages?(): number
  makeThreadMortal?(): number
}

/** From now on the process then writes `text` to standard error and exits with status 1, but for guarded files. */
export function sayAtBusError(text: string): void {
  addon?.sayAtBusError?.(Buffer.from(text))
}

/**
 * Guards a file that this process has mapped, in place of the one before, after sayAtBusError(). False where that
 * cannot be done.
 */
export function guardMapped(path: string): boolean {
  return addon?.guardMapped?.(Buffer.from(path)) === 0
}

/** The file is about to be unmapped. */
export function unguardMapped(): void {
  addon?.unguardMapped?.()
}

/** Pages of guarded files that could not be read, ever. */
export function readFaults(): number {
  return addon?.readFaults?.() ?? 0
}

/** Has the device asked again for the pages that could not be read. Returns how many these were. */
export function restorePages(): number {
  return addon?.restorePages?.() ?? 0
}

/** The process ends when the calling thread, and no other, meets a page that cannot be read: it is one that writes. */
export function makeThreadMortal(): void {
  addon?.makeThreadMortal?.()
}
