// XCLAIM and XAUTOCLAIM: pending entries change owner. Used by: stream-commands. Uses: stream-arguments.
// Both are journaled as they came: what they do depends on the data and on the record's clock only.

import { ReplyError } from '../base/errors.js'
import { streamErrors } from '../base/stream-errors.js'
import { compareIds, ID_MIN } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import type { Reply } from '../resp/reply.js'
import { oneMore } from '../types/stream/count.js'
import type { Count, ConsumerGroup, Look, WireSlice } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { attempt, granted, groupAt, idAt, startAt, takeId } from './stream-arguments.js'
import { useConsumer } from './stream-readgroup.js'

interface ClaimOptions {
  key: string
  group: string
  consumer: string
  /** Redis looks for the group before it complains about what follows. */
  claim: Claim | ReplyError
}

interface Claim {
  minIdleMs: number
  ids: StreamId[]
  /** undefined: now. */
  deliveredAtMs: number | undefined
  deliveredBeforeMs: number | undefined
  /** undefined: one more than before. */
  deliveries: Count | undefined
  force: boolean
  justId: boolean
  lastId: StreamId
}

function parseClaim(a: Args): Claim {
  const claim: Claim = {
    minIdleMs: a.integer(streamErrors.claimMinIdle),
    ids: [],
    deliveredAtMs: undefined,
    deliveredBeforeMs: undefined,
    deliveries: undefined,
    force: false,
    justId: false,
    lastId: ID_MIN,
  }
  for (; a.remaining > 0; a.at++) {
    const id = idAt(a.request, a.at)
    if (id === undefined) break
    claim.ids.push(id)
  }
  while (a.remaining > 0) takeClaimOption(a, claim)
  return claim
}

function takeClaimOption(a: Args, claim: Claim): void {
  const hasValue = a.remaining > 1
  if (a.take('FORCE')) {
    claim.force = true
  } else if (a.take('JUSTID')) {
    claim.justId = true
  } else if (hasValue && a.take('IDLE')) {
    claim.deliveredBeforeMs = a.integer(streamErrors.claimOption('IDLE'))
    claim.deliveredAtMs = undefined
  } else if (hasValue && a.take('TIME')) {
    claim.deliveredAtMs = a.integer(streamErrors.claimOption('TIME'))
    claim.deliveredBeforeMs = undefined
  } else if (hasValue && a.take('RETRYCOUNT')) {
    const deliveries = a.int64(streamErrors.claimOption('RETRYCOUNT'))
    claim.deliveries = deliveries < 0 ? undefined : deliveries
  } else if (hasValue && a.take('LASTID')) {
    claim.lastId = takeId(a)
  } else {
    throw new ReplyError(streamErrors.claimUnknown(a.text()))
  }
}

/** The delivery time that a claim sets: what was asked for unless that lies in the future or before 1970. */
function deliveryTimeMs(claim: Claim, nowMs: number): number {
  const asked = claim.deliveredBeforeMs === undefined ? claim.deliveredAtMs : nowMs - claim.deliveredBeforeMs
  return asked === undefined || asked < 0 || asked > nowMs ? nowMs : asked
}

function runClaim(ctx: CommandContext, options: ClaimOptions): void {
  const { key } = options
  const { stream, group } = groupAt(ctx, key, options.group)
  const claim = granted(options.claim)
  const lastIdMoves = compareIds(claim.lastId, group.lastDeliveredId) > 0
  if (lastIdMoves) group.raiseLastDeliveredId(claim.lastId)
  const { consumer, created } = useConsumer(ctx, key, group, options.consumer)
  const deliveredMs = deliveryTimeMs(claim, ctx.nowMs)
  const claimed: Claimed[] = []
  let changes = lastIdMoves ? 1 : 0
  for (const id of claim.ids) {
    const found = group.locatePending(id)
    const entry = stream.get(id)
    if (entry === undefined) {
      if (found === undefined) continue
      group.ack(id)
      changes++
      continue
    }
    if (found === undefined && !claim.force) continue
    if (found !== undefined && !found.row.isIdle(ctx.nowMs, claim.minIdleMs)) continue
    // A row that FORCE makes has been delivered once already in Redis' eyes.
    const before = found === undefined ? 1 : found.row.deliveries
    const deliveries = claim.deliveries ?? (claim.justId ? before : oneMore(before))
    if (found === undefined) group.setPending(id, consumer, deliveredMs, deliveries)
    else group.setLocated(found, consumer, deliveredMs, deliveries)
    claimed.push({ id, entry })
  }
  group.settlePending()
  if (claimed.length > 0) consumer.setActive(ctx.nowMs)
  // Those who wait for entries that are idle long enough may find some earlier than they thought.
  if (claimed.length > 0 && deliveredMs < ctx.nowMs) ctx.wake(key)
  writeClaimed(ctx.reply, claimed, claim.justId)
  journal(ctx, options, changes + claimed.length, created)
}

interface Claimed {
  readonly id: StreamId
  readonly entry: WireSlice
}

function writeClaimed(reply: Reply, claimed: readonly Claimed[], justId: boolean): void {
  reply.array(claimed.length)
  for (const { id, entry } of claimed) {
    if (justId) reply.streamId(id)
    else reply.wire(entry.bytes, entry.from, entry.to)
  }
}

function journal(
  ctx: CommandContext,
  names: { key: string; group: string; consumer: string },
  changes: number,
  consumerCreated: boolean,
): void {
  if (changes > 0) ctx.changed(changes)
  else if (consumerCreated) ctx.effect('XGROUP', 'CREATECONSUMER', names.key, names.group, names.consumer)
}

export const xclaim = defineCommand<ClaimOptions>({
  name: 'xclaim',
  arity: -6,
  flags: Flag.Write | Flag.Fast,
  categories: ['stream'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'stream',
  since: '5.0.0',
  summary: 'Makes a consumer the owner of pending entries that were idle long enough.',
  complexity: 'O(log N) per ID',
  tips: ['nondeterministic_output'],
  parse: a => ({ key: a.key(), group: a.text(), consumer: a.text(), claim: attempt(a, parseClaim) }),
  run: runClaim,
})

interface AutoClaimOptions {
  key: string
  group: string
  consumer: string
  minIdleMs: number
  start: StreamId
  count: number
  justId: boolean
}

const AUTO_CLAIM_COUNT_DEFAULT = 100
/** Redis' bound, which leaves room for ten times as many rows in 63 bits. */
const AUTO_CLAIM_COUNT_MAX = 576460752303423487n
/** Rows looked at per entry asked for, before the search either ends or goes on by pages. */
const ROWS_PER_ENTRY = 10
/**
 * In a longer PEL the search goes on behind those rows and passes over pages that hold nothing idle, unread: what is
 * idle is found in one call however many busy rows lie before it. In a shorter one the cursor says what Redis' would.
 */
const SKIPPING_PENDING_MIN = 1000

function parseAutoClaim(a: Args): AutoClaimOptions {
  const options: AutoClaimOptions = {
    key: a.key(),
    group: a.text(),
    consumer: a.text(),
    minIdleMs: a.integer(streamErrors.autoClaimMinIdle),
    start: startAt(a.request, a.at),
    count: AUTO_CLAIM_COUNT_DEFAULT,
    justId: false,
  }
  a.at++
  while (a.remaining > 0) {
    if (a.remaining > 1 && a.take('COUNT')) {
      const count = a.int64(streamErrors.autoClaimCount)
      if (count < 1 || count > AUTO_CLAIM_COUNT_MAX) throw new ReplyError(streamErrors.autoClaimCount)
      options.count = Number(count)
    } else if (a.take('JUSTID')) {
      options.justId = true
    } else {
      a.end()
    }
  }
  return options
}

/** What an XAUTOCLAIM will do is found before anything changes, since changes would disturb the search. */
function lookFor(group: ConsumerGroup, { minIdleMs, start, count }: AutoClaimOptions, nowMs: number): Look {
  return group.lookForIdle({
    start,
    deliveredMaxMs: minIdleMs <= 0 ? Infinity : nowMs - minIdleMs,
    foundMax: count,
    rowsMax: count * ROWS_PER_ENTRY,
    goesOn: group.pendingCount > SKIPPING_PENDING_MIN,
  })
}

function runAutoClaim(ctx: CommandContext, options: AutoClaimOptions): void {
  const { group } = groupAt(ctx, options.key, options.group)
  const { consumer, created } = useConsumer(ctx, options.key, group, options.consumer)
  const { claims, deletedIds, next } = lookFor(group, options, ctx.nowMs)
  // Before anything is removed: what was found has its place.
  for (const found of claims) {
    const { deliveries } = found.row
    group.setLocated(found, consumer, ctx.nowMs, options.justId ? deliveries : oneMore(deliveries))
  }
  group.settlePending()
  for (const id of deletedIds) group.ack(id)
  if (claims.length > 0) consumer.setActive(ctx.nowMs)
  const reply = ctx.reply
  reply.array(3)
  reply.streamId(next ?? ID_MIN)
  const claimed = claims.map(({ row, entry }) => ({ id: row.id, entry }))
  writeClaimed(reply, claimed, options.justId)
  reply.array(deletedIds.length)
  for (const id of deletedIds) reply.streamId(id)
  journal(ctx, options, claims.length + deletedIds.length, created)
}

export const xautoclaim = defineCommand<AutoClaimOptions>({
  name: 'xautoclaim',
  arity: -6,
  flags: Flag.Write | Flag.Fast,
  categories: ['stream'],
  keys: keysAt(['RW', 'delete'], 1),
  group: 'stream',
  since: '6.2.0',
  summary: 'Makes a consumer the owner of the pending entries, from an ID on, that were idle long enough.',
  complexity: 'O(log N) per entry claimed; pages of the PEL that hold nothing idle are passed over',
  tips: ['nondeterministic_output'],
  parse: parseAutoClaim,
  run: runAutoClaim,
})
