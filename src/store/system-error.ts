// Words for a system error's number, for messages to the operator. Used by: store/.

import { statfsSync } from 'node:fs'
import { getSystemErrorMap } from 'node:util'

/** @param errno negative, as the system calls of the addon and Node's errors give it */
export function systemErrorText(errno: number): string {
  const [name, text] = getSystemErrorMap().get(errno) ?? [`error ${-errno}`, 'unknown error']
  return `${text} (${name})`
}

/** Less room than this is none: what could not be written was larger. */
const ROOM_BYTES_MIN = 1 << 20

/**
 * Why LMDB could not write to `folder`. A full disk takes a part of what is written, and LMDB then complains of the
 * device: that would send the operator the wrong way.
 */
export function storeFailureText(error: unknown, folder: string): string {
  const text = error instanceof Error ? error.message : String(error)
  if (!text.startsWith('Input/output error')) return text
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < ROOM_BYTES_MIN ? 'No space left on device' : text
}
