// `millrace/mailbox`: mailboxes over a dispatch log, on Millrace or Redis 7. The public face of this layer;
// docs/mailbox.md.

export type { Clock } from '../base/clock.js'
export { systemClock } from '../base/clock.js'
export type { EpochBoundary, EpochEvent, ShardSplitBoundary } from './boundary.js'
export { convertWatermarks } from './convert-watermarks.js'
export type { Conversion } from './convert-watermarks.js'
export { CursorSigner } from './cursor.js'
export type { Cursor } from './cursor.js'
export type { Destination, DispatchLog, LogBounds } from './dispatch-log.js'
export type { Dispatch, DispatchRecord, Recipient, RecipientEvent } from './dispatch-record.js'
export { DAY_S, dayOf, EVENTS_MAX } from './event-group.js'
export type { EventGroup, MailboxEvent } from './event-group.js'
export { laneOf, LANES } from './lane.js'
export type { LaneWatermark } from './lane.js'
export { memoryMailbox, redisMailbox, streamsMailbox } from './mailbox-backend.js'
export type { Mailbox, MemoryMailboxOptions, ServerMailboxOptions } from './mailbox-backend.js'
export * from './mailbox-error.js'
export { MailboxKeys } from './mailbox-keys.js'
export { MailboxReader } from './mailbox-reader.js'
export type { Pull } from './mailbox-reader.js'
export {
  beforeEpoch,
  endOfEpoch,
  epochOf,
  formatSeq,
  LOG_OFFSET_MAX,
  logOffsetOf,
  mailboxSeq,
  parseSeq,
  SHARD_EPOCH_MAX,
} from './mailbox-seq.js'
export type { MailboxSeq } from './mailbox-seq.js'
export type {
  AppendOutcome,
  FreshOutcome,
  FreshRecord,
  MailboxPlace,
  MailboxStore,
  RangePage,
  RangeRequest,
  Retention,
  ScannedEvent,
} from './mailbox-store.js'
export { Materializer } from './materializer.js'
export type { MaterializerCounts, MaterializerOptions, MaterializerStep } from './materializer.js'
export { MemoryDispatchLog } from './memory-dispatch-log.js'
export { rebuildUser } from './rebuild-user.js'
export type { RebuiltUser } from './rebuild-user.js'
export { RegressionCount } from './regression-count.js'
export { resolveCursor } from './resolve-cursor.js'
export type { Resolution } from './resolve-cursor.js'
export type { Ownership, RaiseOptions, ShardRegistry, ShardState, SplitRequest } from './shard-registry.js'
export { StreamDispatchLog } from './stream-dispatch-log.js'
export type { StreamsMailboxStore } from './streams-store.js'
export type { Advance, Claim, LaneMove, ShardWatermarks, Watermarks } from './watermarks.js'
