// The door of types/stream: all that commands use of it. Values in, values out: no client, no reply, no argv.

export type { Count } from './count.js'
export type { WireSlice } from './entries.js'
export type { NodeLimits } from './macro-nodes.js'
export type { Trim } from './trim.js'
export type { Claimable, Pending } from './pel.js'
export type { ReferencePolicy } from './references.js'
export type { IdempotenceLimits } from './idempotence.js'
export { digestOfId, digestOfPairs } from './idempotence.js'
export { dropReferences, dropReferencesToTrimmed, isReferenced, trimUnreferenced } from './references.js'
export { Consumer } from './consumer.js'
export { ConsumerGroup } from './group.js'
export { Stream, streamType } from './stream.js'
