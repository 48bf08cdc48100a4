// Everything that can go wrong in a mailbox, by kind, each with what to do next. Used by: everything of this layer.
//
// The scripts answer `MBX<KIND> <detail>`; errorFromReply() turns that into the class. Nothing was written when one of
// these is thrown by a call of a store, of the watermarks or of the registry.

import type { MailboxSeq } from './mailbox-seq.js'

export abstract class MailboxError extends Error {
  /** Stable, for programs. */
  abstract readonly code: string
  /** One sentence for whoever reads the log: what to do about it. */
  abstract readonly next: string
  override get name(): string {
    return this.constructor.name
  }
}

/** The cursor may have lost events: they expired or were truncated. */
export class CursorExpired extends MailboxError {
  readonly code = 'CURSOR_EXPIRED'
  readonly next = 'rebuild the client from its source of truth, then go on behind resumeAfter'
  readonly rebuildRequired = true
  constructor(
    /** Greatest sequence that may have been removed, by truncation or by expiry: the cursor lies below it. */
    readonly trimWatermark: MailboxSeq,
    /** A rebuilt client has lost nothing when it reads on behind this. */
    readonly resumeAfter: MailboxSeq = trimWatermark,
  ) {
    super(`the cursor lies before ${trimWatermark.toString(16)}, up to where events may be gone`)
  }
}

/** The cursor belongs to another epoch or shard by now. */
export class CursorRebased extends MailboxError {
  readonly code = 'CURSOR_REBASED'
  readonly next = 'store newCursor, read on from it, and drop messages whose id was seen'
  constructor(
    readonly newCursor: string,
    readonly replayFromSeq: MailboxSeq,
  ) {
    super(`the cursor is of an older epoch or shard; events repeat from ${replayFromSeq.toString(16)}`)
  }
}

/** An epoch that the registry does not know, or whose way to the present has a hole. */
export class UnknownEpoch extends MailboxError {
  readonly code = 'UNKNOWN_EPOCH'
  readonly next = 'restore the epoch boundaries of the shard, or rebuild the client; never guess'
}

/** A range or an event of another epoch than the one named. */
export class ForeignEpoch extends MailboxError {
  readonly code = 'FOREIGN_EPOCH'
  readonly next = 'resolve the cursor first: one call reads one epoch'
}

/** A token that is forged, cut, of another user, or signed with an unknown key. */
export class BadToken extends MailboxError {
  readonly code = 'BAD_TOKEN'
  readonly next = 'refuse the client; it has to begin without a cursor'
}

/** Stored retention data contradict each other or cannot be read. */
export class CorruptEntry extends MailboxError {
  readonly code = 'CORRUPT_ENTRY'
  readonly next = 'beginRebuild() the user and replay the dispatch log'
}

/** Stored watermarks are damaged. */
export class CorruptWatermark extends MailboxError {
  readonly code = 'CORRUPT_WATERMARK'
  readonly next = 'fence the shard, restore wm:{shard} from a copy or raise E3 and replay the dispatch log'
}

/** The 192-field layout, which is read offline only. */
export class LegacyLayout extends MailboxError {
  readonly code = 'LEGACY_LAYOUT'
  readonly next = 'fence the shard and run: millrace mailbox convert --to packed-v1'
}

/** Retention data of a format other than 4. */
export class UnknownFormat extends MailboxError {
  readonly code = 'UNKNOWN_FORMAT'
  readonly next = 'migrate offline, or beginRebuild() the user and replay the dispatch log'
}

/** The same sequence already lives in another day bucket. */
export class Conflict extends MailboxError {
  readonly code = 'CONFLICT'
  readonly next = 'find out which of the two records is right; a record never changes its committed_at'
}

/** created_at lies more than 30 days ahead of the server's day. */
export class FutureWindow extends MailboxError {
  readonly code = 'FUTURE_WINDOW'
  readonly next = 'mend the clock of the producer'
}

/** The active days of a user would span more than 30 days. */
export class DaySpan extends MailboxError {
  readonly code = 'DAY_SPAN'
  readonly next = 'wait until the early days have expired, or truncate them'
}

/** An event group that no backend can store as one: two days, a repeated ordinal, too many events, an odd value. */
export class BadGroup extends MailboxError {
  readonly code = 'BAD_GROUP'
  readonly next = 'mend the producer: one record gives each user one group of one day with unique ordinals'
}

/** Another owner has taken the shard over. */
export class Fenced extends MailboxError {
  readonly code = 'FENCED'
  readonly next = 'stop; take the shard over again only if this process shall own it'
}

/** Nobody has opened the shard under this epoch. */
export class ShardNotOpen extends MailboxError {
  readonly code = 'SHARD_NOT_OPEN'
  readonly next = 'take the shard over first: registry.takeOver()'
}

/** An offline tool met a shard that somebody may be writing. */
export class NotFenced extends MailboxError {
  readonly code = 'NOT_FENCED'
  readonly next = 'stop the owner and run: millrace mailbox fence'
}

/** A watermark is not where the caller thought. */
export class WatermarkGap extends MailboxError {
  readonly code = 'WATERMARK_GAP'
  readonly next = 'read the watermarks again and go on from the lowest'
  constructor(
    readonly lane: number,
    /** The lane's W now; undefined when the lane is empty. */
    readonly actual: number | undefined,
  ) {
    super(`lane ${lane} stands at ${actual ?? 'nothing'}`)
  }
}

/** An epoch or an offset that does not fit its bits. */
export class SeqOverflow extends MailboxError {
  readonly code = 'SEQ_OVERFLOW'
  readonly next = 'raise the epoch (offsets), or move the users to a new shard (epochs)'
}

/** A producer asked for a partition by key. */
export class KeyHashRefused extends MailboxError {
  readonly code = 'KEY_HASH_REFUSED'
  readonly next = 'name the partition: it is the shard of the recipients, from the map the producer keeps'
}

/** A split was asked for before the old shard had materialized everything below the split. */
export class NotDrained extends MailboxError {
  readonly code = 'NOT_DRAINED'
  readonly next = 'let the materializer reach the split, then ask again'
}

/** The dispatch log does not hold what comes behind the watermark. */
export class LogLost extends MailboxError {
  readonly code = 'LOG_LOST'
  readonly next = 'raise E3 (log recreated or truncated) and let the producers append again what was not materialized'
}

/** A record for users that a split has moved away. */
export class WrongShard extends MailboxError {
  readonly code = 'WRONG_SHARD'
  readonly next = 'append the record to the partition of the new shard, then let the materializer skip it here'
}

/** An epoch was raised but the server did not confirm that it is on its disk. */
export class NotDurable extends MailboxError {
  readonly code = 'NOT_DURABLE'
  readonly next = 'do not write under this epoch; mend the persistence of the server and take the shard over again'
}

/** An argument that is not what it should be. */
export class Malformed extends MailboxError {
  readonly code = 'MALFORMED'
  readonly next = 'mend the caller'
}

const KINDS: Readonly<Record<string, new (message: string) => MailboxError>> = {
  MBXCORRUPT: CorruptEntry,
  MBXWATERMARK: CorruptWatermark,
  MBXLEGACY: LegacyLayout,
  MBXFORMAT: UnknownFormat,
  MBXCONFLICT: Conflict,
  MBXFUTURE: FutureWindow,
  MBXSPAN: DaySpan,
  MBXFENCED: Fenced,
  MBXNOTOPEN: ShardNotOpen,
  MBXNOTFENCED: NotFenced,
  MBXOVERFLOW: SeqOverflow,
  MBXNOTDRAINED: NotDrained,
  MBXMALFORMED: Malformed,
}

/**
 * The typed error of a script's reply, with `place` in front; anything else unchanged. A key of another type is damage:
 * `wrongType` says of what.
 */
export function errorFromReply(
  error: unknown,
  place: string,
  wrongType: new (message: string) => MailboxError = CorruptEntry,
): unknown {
  if (!(error instanceof Error)) return error
  const found = /^(MBX[A-Z]+) ([^\r\n]*)/.exec(error.message)
  const kind = found && KINDS[found[1]]
  if (kind) return new kind(`${place}: ${found[2].replace(/ script: .*$/, '')}`)
  if (/^(\S+ )?WRONGTYPE/.test(error.message)) return new wrongType(`${place}: a key holds a value of another type`)
  return error
}
