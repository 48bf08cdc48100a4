// The door of types/stream: all that commands use of it. Values in, values out: no client, no reply, no argv.

export type { Count } from './count.js'
export type { WireSlice } from './entry-run.js'
export type { NodeLimits } from './macro-nodes.js'
export type { Trim } from './trim.js'
export type { Claimable, Pending } from './pending.js'
export type { Look } from './pel-look.js'
export type { ReferencePolicy } from './references.js'
export type { IdempotenceLimits } from './idempotence.js'
export { eachOnce } from './id-order.js'
export { digestOfId, digestOfPairs } from './idempotence.js'
export type { Trimmable } from './references.js'
export {
  dropReferences,
  dropReferencesToTrimmed,
  findUnreferenced,
  referencedAmong,
  trimUnreferenced,
} from './references.js'
export { Consumer } from './consumer.js'
export { ConsumerGroup } from './group.js'
export { Stream, streamType } from './stream.js'
