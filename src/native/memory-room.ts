// Whether the system still gives memory. Who takes it in small pieces is refused only when there is none left at all,
// and then V8 ends the process at its next breath: so long values, which are made of pieces, look ahead.
// Used by: resp, types. Without the addon there is always room.

import { addon } from './addon.js'

/** What V8 and everybody else need to go on while the one who asked for too much is refused. */
const ROOM_BYTES = 64 * 1024 * 1024
/** A look costs some microseconds. */
const LOOK_BYTES = 1024 * 1024

let sinceLookBytes = 0

/** False when so many bytes, in pieces, are not to be had without taking what others need. */
export function hasRoomFor(bytes: number): boolean {
  sinceLookBytes += bytes
  if (sinceLookBytes < LOOK_BYTES) return true
  sinceLookBytes = 0
  return addon?.canMap?.(ROOM_BYTES + bytes) !== false
}
