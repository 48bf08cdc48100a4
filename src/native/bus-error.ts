// Last words of a process that reads a mapped file whose bytes cannot be had: LMDB reads its file through memory, and
// the system's answer to a failing device, or to a file that was cut short, is a signal that ends the process. Used by:
// main. Without the addon the process ends without words.

import { addon } from './addon.js'

/** From now on the process then writes `text` to standard error and exits with status 1. */
export function sayAtBusError(text: string): void {
  addon?.sayAtBusError?.(Buffer.from(text))
}
