// Gives memory that the allocator keeps free back to the system. glibc keeps what lies between pieces that are in use:
// after a large load that is most of what was ever used. Used by: exec/idle-memory, store/checkpoint-writer. Without
// the addon, or with another allocator, nothing happens.

import { addon } from './addon.js'

/** The addon's part. Not in builds of before it was thought of. */
export interface HeapTrimAddon {
  trimHeap?(): number
  trimHeapSome?(bytesMax: number, usMax: number): number
}

/** All of it, at some 0.2 ms a MiB, while no thread can allocate. True when some memory went back. */
export function trimHeap(): boolean {
  return addon?.trimHeap?.() === 1
}

/**
 * Goes on with a pass over the larger free pieces of the calling thread's heap, or begins one.
 * @param bytesMax what the pass gives back at most
 * @param usMax about, for this call
 * @returns true while the pass is not over: what it has met is not free until then
 */
export function trimHeapSome(bytesMax: number, usMax: number): boolean {
  return addon?.trimHeapSome?.(bytesMax, usMax) === 1
}
