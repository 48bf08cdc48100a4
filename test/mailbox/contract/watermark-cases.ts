// The contract of watermarks, dispatches, the hot path and the registry.

import { beforeEpoch, epochOf, mailboxSeq } from '../../../src/mailbox/mailbox-seq.js'
import type { FreshRecord } from '../../../src/mailbox/mailbox-store.js'
import { proves } from './case.js'
import type { World } from './harness.js'

const ALL = Array.from({ length: 64 }, (_, lane) => lane)
const read = (w: World) => w.mailbox.watermarks.read(w.shard)
const all = (w: World, expectedPrevious: number | undefined, offset: number) =>
  w.mailbox.watermarks.advanceAll(w.shard, w.epoch, { expectedPrevious }, offset)
const one = (w: World, lane: number, expectedPrevious: number | undefined, offset: number) =>
  w.mailbox.watermarks.advance(w.shard, w.epoch, { lane, expectedPrevious }, offset)
const claim = (w: World, offset: number, id: string, epoch = w.epoch) =>
  w.mailbox.watermarks.claim(w.shard, epoch, offset, id)
const fresh = (w: World, user: string, offset: number, expectedPrevious: number | undefined, id = `d${offset}`) =>
  ({ group: w.group(user, offset), epoch: w.epoch, expectedPrevious, dispatchId: id }) satisfies FreshRecord
const hot = (w: World, ...records: FreshRecord[]) => w.mailbox.store.materializeFresh(records)

export const watermarkCases = [
  proves('a shard that was opened has 64 empty lanes', async (t, w) => {
    const state = await read(w)
    t.match(state, { layout: 'packed-v2', epoch: w.epoch, isUniform: true })
    t.ok(state.lanes.length === 64 && state.lanes.every(lane => lane === undefined))
  }),
  proves('a shard that nobody opened has no watermarks', async (t, w) => {
    await t.rejects(w.mailbox.watermarks.read(99), { code: 'SHARD_NOT_OPEN' })
    await t.rejects(w.mailbox.watermarks.claim(99, 1, 1, 'd'), { code: 'SHARD_NOT_OPEN' })
  }),
  proves('all lanes advance together and stay uniform', async (t, w) => {
    t.equal(await all(w, undefined, 5), 'advanced')
    t.equal(await all(w, 5, 9), 'advanced')
    const state = await read(w)
    t.ok(state.isUniform)
    t.same(state.lanes[63], { w: 9, floor: 5 })
  }),
  proves('offset 0 is a watermark, not an empty lane', async (t, w) => {
    t.equal(await all(w, undefined, 0), 'advanced')
    t.same((await read(w)).lanes[0], { w: 0, floor: 0 })
    await t.rejects(all(w, undefined, 1), { code: 'WATERMARK_GAP', actual: 0 })
    t.equal(await all(w, 0, 1), 'advanced')
  }),
  proves('the greatest offset is a watermark', async (t, w) => {
    await all(w, undefined, 2 ** 48 - 2)
    t.equal(await all(w, 2 ** 48 - 2, 2 ** 48 - 1), 'advanced')
    t.same((await read(w)).lanes[1], { w: 2 ** 48 - 1, floor: 2 ** 48 - 2 })
    await t.rejects(all(w, 2 ** 48 - 1, 2 ** 48), { code: 'MALFORMED' })
  }),
  proves('a wrong expected_previous moves nothing', async (t, w) => {
    await all(w, undefined, 5)
    await t.rejects(all(w, 4, 9), { code: 'WATERMARK_GAP', lane: 0, actual: 5 })
    await t.rejects(all(w, undefined, 9), { code: 'WATERMARK_GAP', actual: 5 })
    await t.rejects(one(w, 3, 4, 9), { code: 'WATERMARK_GAP', lane: 3, actual: 5 })
    t.same((await read(w)).lanes[0], { w: 5, floor: 5 })
  }),
  proves('a watermark never goes back', async (t, w) => {
    await all(w, undefined, 5)
    t.equal(await all(w, 5, 5), 'past')
    t.equal(await all(w, undefined, 3), 'past')
    t.equal(await one(w, 7, 5, 2), 'past')
    t.same((await read(w)).lanes[7], { w: 5, floor: 5 })
  }),
  proves('one lane advances alone, and the lanes are equal again when the others have followed', async (t, w) => {
    await all(w, undefined, 5)
    await one(w, 3, 5, 6)
    const diverged = await read(w)
    t.notOk(diverged.isUniform)
    t.same([diverged.lanes[2]?.w, diverged.lanes[3]?.w, diverged.lanes[4]?.w], [5, 6, 5])
    const others = ALL.filter(lane => lane !== 3).map(lane => ({ lane, expectedPrevious: 5 }))
    await w.mailbox.watermarks.advanceAll(w.shard, w.epoch, others, 6)
    const equal = await read(w)
    t.ok(equal.isUniform)
    t.same(equal.lanes[3], { w: 6, floor: 5 })
  }),
  proves('floors that differ keep lanes apart', async (t, w) => {
    await one(w, 0, undefined, 3)
    const others = ALL.slice(1).map(lane => ({ lane, expectedPrevious: undefined }))
    await w.mailbox.watermarks.advanceAll(w.shard, w.epoch, others, 5)
    t.equal(await one(w, 0, 3, 5), 'advanced')
    const state = await read(w)
    t.notOk(state.isUniform)
    t.same(
      [state.lanes[0], state.lanes[1]],
      [
        { w: 5, floor: 3 },
        { w: 5, floor: 5 },
      ],
    )
  }),
  proves('many lanes advance all or none', async (t, w) => {
    await all(w, undefined, 5)
    await one(w, 9, 5, 6)
    const moves = [8, 9, 10].map(lane => ({ lane, expectedPrevious: 5 }))
    const { watermarks } = w.mailbox
    const gap = { code: 'WATERMARK_GAP', lane: 9, actual: 6 }
    await t.rejects(watermarks.advanceAll(w.shard, w.epoch, moves, 7), gap)
    t.same(
      [8, 9, 10].map(lane => lane),
      [8, 9, 10],
    )
    const { lanes } = await read(w)
    t.same([lanes[8]?.w, lanes[9]?.w, lanes[10]?.w], [5, 6, 5])
    moves[1] = { lane: 9, expectedPrevious: 6 }
    t.equal(await watermarks.advanceAll(w.shard, w.epoch, moves, 7), 'advanced')
  }),
  proves('all lanes at once refuse a diverged shard', async (t, w) => {
    await all(w, undefined, 5)
    await one(w, 9, 5, 6)
    await t.rejects(all(w, 5, 7), { code: 'WATERMARK_GAP', lane: 9, actual: 6 })
    t.equal(await all(w, 5, 4), 'past')
  }),
  proves('a lane that is past among lanes that are not is a gap', async (t, w) => {
    await all(w, undefined, 5)
    await one(w, 9, 5, 8)
    const moves = [8, 9].map(lane => ({ lane, expectedPrevious: 5 }))
    await t.rejects(w.mailbox.watermarks.advanceAll(w.shard, w.epoch, moves, 7), { code: 'WATERMARK_GAP', lane: 9 })
    t.equal((await read(w)).lanes[8]?.w, 5)
  }),
  proves('lanes are 0 to 63 and named at least once', async (t, w) => {
    for (const lane of [-1, 64, 1.5]) await t.rejects(one(w, lane, undefined, 1), { code: 'MALFORMED' })
    const bad = [{ lane: 64, expectedPrevious: undefined }]
    await t.rejects(w.mailbox.watermarks.advanceAll(w.shard, w.epoch, bad, 1), { code: 'MALFORMED' })
    t.ok((await read(w)).lanes.every(lane => lane === undefined))
  }),
  proves('an old epoch moves nothing, reads go on', async (t, w) => {
    await all(w, undefined, 5)
    await w.mailbox.registry.takeOver(w.shard, 'another')
    await t.rejects(all(w, 5, 6), { code: 'FENCED' })
    await t.rejects(one(w, 1, 5, 6), { code: 'FENCED' })
    await t.rejects(claim(w, 6, 'd'), { code: 'FENCED' })
    await t.rejects(w.mailbox.watermarks.collect(w.shard, w.epoch, 9), { code: 'FENCED' })
    t.match(await read(w), { epoch: w.epoch + 1, isUniform: true })
    t.equal((await read(w)).lanes[0]?.w, 5)
  }),
  proves('an epoch that is not open moves nothing', async (t, w) => {
    const { watermarks } = w.mailbox
    const ahead = watermarks.advanceAll(w.shard, w.epoch + 1, { expectedPrevious: undefined }, 1)
    await t.rejects(ahead, { code: 'SHARD_NOT_OPEN' })
  }),
  proves('a dispatch is fresh once, a replay at its offset, a duplicate elsewhere', async (t, w) => {
    t.equal(await claim(w, 1, 'd'), 'fresh')
    t.equal(await claim(w, 1, 'd'), 'replay')
    t.equal(await claim(w, 2, 'd'), 'duplicate')
    t.equal(await claim(w, 2, 'e'), 'fresh')
  }),
  proves('garbage collection forgets up to the lowest watermark, never above', async (t, w) => {
    for (const offset of [1, 2, 3, 4]) await claim(w, offset, `d${offset}`)
    t.equal(await w.mailbox.watermarks.collect(w.shard, w.epoch, 9), 0, 'empty lanes')
    await all(w, undefined, 2)
    await one(w, 5, 2, 4)
    t.equal(await w.mailbox.watermarks.collect(w.shard, w.epoch, 9), 2)
    t.same([await claim(w, 9, 'd2'), await claim(w, 9, 'd3')], ['fresh', 'duplicate'])
  }),
  proves('garbage collection stops at the bound the caller gives', async (t, w) => {
    for (const offset of [1, 2, 3]) await claim(w, offset, `d${offset}`)
    await all(w, undefined, 3)
    t.equal(await w.mailbox.watermarks.collect(w.shard, w.epoch, 1), 1)
    t.equal(await claim(w, 9, 'd2'), 'duplicate')
    t.equal(await w.mailbox.watermarks.collect(w.shard, w.epoch, 0), 0)
  }),
  proves('a takeover forgets the claims of records that are not whole, and keeps the others', async (t, w) => {
    await claim(w, 1, 'whole')
    await claim(w, 2, 'half')
    await all(w, undefined, 1)
    const { epoch } = await w.mailbox.registry.takeOver(w.shard, 'another')
    t.same([await claim(w, 2, 'half', epoch), await claim(w, 3, 'whole', epoch)], ['fresh', 'duplicate'])
  }),
  proves('a new log remembers what the earlier one materialized, at any offset', async (t, w) => {
    await claim(w, 1, 'whole')
    await claim(w, 2, 'half')
    await all(w, undefined, 1)
    await w.mailbox.registry.raise(w.shard, 'E3')
    const { epoch } = await w.mailbox.registry.takeOver(w.shard, 'another')
    t.ok((await read(w)).lanes.every(lane => lane === undefined))
    t.same([await claim(w, 1, 'whole', epoch), await claim(w, 2, 'half', epoch)], ['duplicate', 'fresh'])
  }),
  proves('the hot path appends, remembers the dispatch and moves all lanes', async (t, w) => {
    t.same(await hot(w, fresh(w, 'u', 1, undefined), fresh(w, 'v', 2, 1), fresh(w, 'u', 3, 2)), [
      'appended',
      'appended',
      'appended',
    ])
    t.same(await w.scan('u', -1, 9), ['e1', 'e3'])
    t.same((await read(w)).lanes[40], { w: 3, floor: 1 })
    t.equal(await claim(w, 9, 'd2'), 'duplicate')
  }),
  proves('the hot path does nothing twice', async (t, w) => {
    await hot(w, fresh(w, 'u', 1, undefined))
    t.same(await hot(w, fresh(w, 'u', 1, undefined)), ['past'])
    t.same(await w.scan('u', -1, 9), ['e1'])
  }),
  proves('the hot path writes nothing over a gap', async (t, w) => {
    await hot(w, fresh(w, 'u', 1, undefined))
    t.same(await hot(w, fresh(w, 'u', 3, 2)), ['gap'])
    t.same(await hot(w, fresh(w, 'u', 3, undefined)), ['gap'])
    t.same(await w.scan('u', -1, 9), ['e1'])
    t.equal((await read(w)).lanes[0]?.w, 1)
  }),
  proves('the hot path leaves a diverged shard to the general one', async (t, w) => {
    await all(w, undefined, 1)
    await one(w, 5, 1, 2)
    t.same(await hot(w, fresh(w, 'u', 2, 1)), ['diverged'])
    t.same(await w.scan('u', -1, 9), [])
  }),
  proves('the hot path passes over a duplicate and writes no event', async (t, w) => {
    await hot(w, fresh(w, 'u', 1, undefined, 'd'))
    t.same(await hot(w, fresh(w, 'v', 2, 1, 'd')), ['duplicate'])
    t.same([await w.scan('v', -1, 9), (await read(w)).lanes[0]?.w], [[], 2])
  }),
  proves('the hot path passes over an expired record', async (t, w) => {
    const record = { ...fresh(w, 'u', 1, undefined), group: w.group('u', 1, { day: -20 }) }
    t.same(await hot(w, record), ['expired'])
    t.equal((await read(w)).lanes[0]?.w, 1)
  }),
  proves('a refusal on the hot path stops what stands behind it', async (t, w) => {
    const bad = { ...fresh(w, 'u', 2, 1), group: w.group('u', 2, { day: 31 }) }
    const outcomes = await hot(w, fresh(w, 'u', 1, undefined), bad, fresh(w, 'v', 3, 2))
    t.match(outcomes, ['appended', { code: 'FUTURE_WINDOW' }, 'gap'])
    t.same([await w.scan('v', -1, 9), (await read(w)).lanes[0]?.w], [[], 1])
    t.equal(await claim(w, 2, 'd2'), 'fresh')
  }),
  proves('the hot path of an old epoch writes nothing', async (t, w) => {
    await w.mailbox.registry.takeOver(w.shard, 'another')
    t.match(await hot(w, fresh(w, 'u', 1, undefined)), [{ code: 'FENCED' }])
    t.same(await w.scan('u', -1, 9), [])
  }),
]

const registry = (w: World) => w.mailbox.registry

export const registryCases = [
  proves('each takeover gets an epoch of its own', async (t, w) => {
    const taken = await Promise.all(['a', 'b', 'c', 'd'].map(owner => registry(w).takeOver(w.shard, owner)))
    t.same(
      taken.map(({ epoch }) => epoch).sort(),
      [1, 2, 3, 4].map(n => w.epoch + n),
    )
    const last = taken.find(({ epoch }) => epoch === w.epoch + 4)
    t.same(await registry(w).state(w.shard), {
      shard: w.shard,
      epoch: w.epoch + 4,
      owner: last?.owner,
      isWaiting: false,
    })
  }),
  proves('a takeover under a condition fails when the epoch has moved', async (t, w) => {
    await registry(w).takeOver(w.shard, 'b', { expectedEpoch: w.epoch })
    await t.rejects(registry(w).takeOver(w.shard, 'c', { expectedEpoch: w.epoch }), { code: 'FENCED' })
    t.equal((await registry(w).state(w.shard)).owner, 'b')
  }),
  proves('a takeover is E1, begins behind the lowest watermark and remembers the previous end', async (t, w) => {
    await all(w, undefined, 5)
    await one(w, 3, 5, 8)
    const { start } = await registry(w).takeOver(w.shard, 'b')
    t.equal(start, mailboxSeq(w.epoch + 1, 6))
    const [first, second] = await registry(w).boundaries(w.shard)
    t.match(first, { kind: 'E1', epoch: 1, previousEpoch: 0, previousEnd: undefined, start: mailboxSeq(1, 0) })
    t.match(second, { kind: 'E1', epoch: w.epoch + 1, previousEpoch: w.epoch, previousEnd: w.seq(8), start })
    t.ok(second.atMs > 0)
  }),
  proves('a new log begins at offset 0 with empty lanes: E3 and E4', async (t, w) => {
    for (const kind of ['E3', 'E4'] as const) {
      const { epoch } = await registry(w).state(w.shard)
      await w.mailbox.watermarks.advanceAll(w.shard, epoch, { expectedPrevious: undefined }, 7)
      const raised = await registry(w).raise(w.shard, kind)
      t.equal(raised, epoch + 1)
      const { start } = await registry(w).takeOver(w.shard, 'b')
      t.equal(start, mailboxSeq(raised, 0))
      t.match((await registry(w).boundaries(w.shard)).at(-1), { kind, previousEnd: mailboxSeq(epoch, 7) })
      t.equal((await read(w)).lanes[0], undefined)
    }
  }),
  proves('an epoch that an event raised waits for one owner', async (t, w) => {
    const raised = await registry(w).raise(w.shard, 'E3')
    t.match(await registry(w).state(w.shard), { epoch: raised, owner: '', isWaiting: true })
    await t.rejects(all(w, undefined, 1), { code: 'FENCED' })
    const [a, b] = await Promise.all(['a', 'b'].map(owner => registry(w).takeOver(w.shard, owner)))
    t.same([a.epoch, b.epoch].sort(), [raised, raised + 1])
  }),
  proves('a fence stops the owner, and the next owner takes the epoch it left', async (t, w) => {
    const fenced = await registry(w).fence(w.shard)
    t.equal(await registry(w).fence(w.shard), fenced)
    await t.rejects(w.append('u', 1), { code: 'FENCED' })
    t.match(await registry(w).takeOver(w.shard, 'b'), { epoch: fenced, owner: 'b' })
  }),
  proves('a fence goes on from an epoch known elsewhere', async (t, w) => {
    t.equal(await registry(w).fence(5, 40), 41)
    t.match(await registry(w).takeOver(5, 'b'), { epoch: 41 })
  }),
  proves('epochs end at 65,535', async (t, w) => {
    await registry(w).fence(5, 65_534)
    t.match(await registry(w).takeOver(5, 'b'), { epoch: 65_535 })
    await t.rejects(registry(w).takeOver(5, 'c'), { code: 'SEQ_OVERFLOW' })
    await t.rejects(registry(w).raise(5, 'E4'), { code: 'SEQ_OVERFLOW' })
    t.match(await registry(w).state(5), { epoch: 65_535, owner: 'b' })
  }),
  proves('a split raises both epochs and is remembered', async (t, w) => {
    await all(w, undefined, 9)
    const split = await registry(w).split({ oldShard: w.shard, newShard: 8, lanes: [3, 1], splitAtOffset: 10 })
    t.match(split, { oldShard: w.shard, newShard: 8, lanes: [1, 3], splitAt: w.seq(10), newEpoch: 1 })
    t.same(await registry(w).splits(w.shard), [split])
    t.match(await registry(w).boundaries(8), [{ kind: 'E2', epoch: 1 }])
    t.match((await registry(w).boundaries(w.shard)).at(-1), { kind: 'E2', start: mailboxSeq(w.epoch + 1, 10) })
    t.equal(epochOf(beforeEpoch(split.newEpoch)), 0)
    await t.rejects(w.append('u', 10), { code: 'FENCED' })
  }),
  proves('a split above what is materialized is refused', async (t, w) => {
    await all(w, undefined, 8)
    const request = { oldShard: w.shard, newShard: 8, lanes: [1], splitAtOffset: 10 }
    await t.rejects(registry(w).split(request), { code: 'NOT_DRAINED' })
    t.same(await registry(w).splits(w.shard), [])
    t.match(await registry(w).state(w.shard), { epoch: w.epoch, owner: 'owner' })
  }),
  proves('a split under another epoch is refused', async (t, w) => {
    await all(w, undefined, 8)
    const request = { oldShard: w.shard, newShard: 8, lanes: [1], splitAtOffset: 5 }
    await t.rejects(registry(w).split(request, { expectedEpoch: w.epoch + 3 }), { code: 'FENCED' })
    t.same(await registry(w).splits(w.shard), [])
  }),
  proves('odd splits are refused', async (t, w) => {
    const request = { oldShard: w.shard, newShard: 8, lanes: [1], splitAtOffset: 0 }
    for (const odd of [{ newShard: w.shard }, { lanes: [] }, { lanes: [64] }, { lanes: [1, 1] }]) {
      await t.rejects(registry(w).split({ ...request, ...odd }), { code: 'MALFORMED' })
    }
    await t.rejects(registry(w).takeOver(w.shard, ''), { code: 'MALFORMED' })
  }),
]
