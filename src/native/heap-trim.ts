// Gives memory that the allocator keeps free back to the system. glibc keeps what lies between pieces that are in use:
// after a large load that is most of what was ever used. Takes up to some 0.3 ms a MiB, so it is for quiet moments.
// Used by: exec/idle-memory. Without the addon, or with another allocator, nothing happens.

import { addon } from './addon.js'

/** The addon's part. Not in builds of before it was thought of. */
export interface HeapTrimAddon {
  trimHeap?(): number
}

/** True when some memory went back. */
export function trimHeap(): boolean {
  return addon?.trimHeap?.() === 1
}
