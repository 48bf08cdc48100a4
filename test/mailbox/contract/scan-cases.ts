// The contract of scans, natural expiry and truncation.

import { beforeEpoch, endOfEpoch, mailboxSeq } from '../../../src/mailbox/mailbox-seq.js'
import type { MailboxSeq } from '../../../src/mailbox/mailbox-seq.js'
import { proves } from './case.js'
import { payloadsOf } from './harness.js'
import type { World } from './harness.js'

const range = (w: World, user: string, after: number, upTo: number, limit = 100) =>
  w.mailbox.store.rangeScan({
    ...w.place(user),
    afterSeq: (w.seq(0) + BigInt(after)) as MailboxSeq,
    upTo: w.seq(upTo),
    limit,
  })
const retention = (w: World, user: string) => w.mailbox.store.promote(w.place(user))

export const scanCases = [
  proves('a user who was never heard of has an empty mailbox', async (t, w) => {
    t.same(await range(w, 'nobody', -1, 9), { events: [], covered: w.seq(9) })
    const none = { gapBoundary: undefined, trimWatermark: undefined, activeDays: [] }
    t.same(await retention(w, 'nobody'), none)
  }),
  proves('afterSeq is left out, upTo is in', async (t, w) => {
    for (const offset of [1, 2, 3, 4]) await w.append('u', offset)
    t.same(await w.scan('u', 1, 3), ['e2', 'e3'])
    t.same(await w.scan('u', 4, 9), [])
  }),
  proves('covered is upTo when nothing else lies there', async (t, w) => {
    await w.append('u', 1)
    t.equal((await range(w, 'u', -1, 50)).covered, w.seq(50))
    t.equal((await range(w, 'u', 1, 50)).covered, w.seq(50))
  }),
  proves('covered is the last group given when a limit ends the page', async (t, w) => {
    for (const offset of [1, 2, 3, 4]) await w.append('u', offset)
    const page = await range(w, 'u', -1, 50, 3)
    t.same(payloadsOf(page.events), ['e1', 'e2', 'e3'])
    t.equal(page.covered, w.seq(3))
    t.equal((await range(w, 'u', 3, 50, 3)).covered, w.seq(50))
  }),
  proves('a page that ends exactly at the limit covers upTo', async (t, w) => {
    for (const offset of [1, 2, 3]) await w.append('u', offset)
    t.equal((await range(w, 'u', -1, 50, 3)).covered, w.seq(50))
  }),
  proves('pages add up to everything, once, whatever the limit', async (t, w) => {
    for (let offset = 1; offset <= 20; offset++) {
      const payloads = Array.from({ length: 1 + (offset % 4) }, (_, i) => `${offset}-${i}`)
      await w.append('u', offset, { payloads, day: -(offset % 5) })
    }
    const whole = await w.scan('u', -1, 20)
    for (const limit of [1, 2, 3, 5, 7, 100]) {
      const found: string[] = []
      for (let after = beforeEpoch(w.epoch); after < w.seq(20);) {
        const request = { ...w.place('u'), afterSeq: after, upTo: w.seq(20), limit }
        const page = await w.mailbox.store.rangeScan(request)
        found.push(...payloadsOf(page.events))
        after = page.covered
      }
      t.same(found, whole, `limit ${limit}`)
    }
  }),
  proves('a group is never cut, even when it is larger than the limit', async (t, w) => {
    await w.append('u', 1, { payloads: ['a', 'b', 'c', 'd', 'e'] })
    await w.append('u', 2)
    const page = await range(w, 'u', -1, 9, 2)
    t.same(payloadsOf(page.events), ['a', 'b', 'c', 'd', 'e'])
    t.equal(page.covered, w.seq(1))
  }),
  proves('a group that would pass the limit waits for the next page', async (t, w) => {
    await w.append('u', 1, { payloads: ['a', 'b'] })
    await w.append('u', 2, { payloads: ['c', 'd', 'e'] })
    t.same(await w.scan('u', -1, 9, 4), ['a', 'b'])
    t.same(await w.scan('u', 1, 9, 4), ['c', 'd', 'e'])
  }),
  proves('a reversed range is empty and never moves the cursor back', async (t, w) => {
    await w.append('u', 1)
    t.same(await range(w, 'u', 9, 3), { events: [], covered: w.seq(9) })
    t.same(await range(w, 'u', 3, 3), { events: [], covered: w.seq(3) })
  }),
  proves('a reversed range is answered before anything is looked at', async (t, w) => {
    await w.plantFormat(w.place('u'), 3)
    t.same((await range(w, 'u', 9, 3)).events, [])
  }),
  proves('a foreign epoch is refused on either side', async (t, w) => {
    const { store } = w.mailbox
    const other = mailboxSeq(w.epoch + 1, 5)
    const ask = (afterSeq: MailboxSeq, upTo: MailboxSeq) =>
      store.rangeScan({ ...w.place('u'), afterSeq, upTo, limit: 1 })
    await t.rejects(ask(w.seq(1), other), { code: 'FOREIGN_EPOCH' })
    await t.rejects(ask(other, w.seq(9)), { code: 'FOREIGN_EPOCH' })
    await t.rejects(ask(other, other), { code: 'FOREIGN_EPOCH' })
    await t.rejects(ask(mailboxSeq(w.epoch - 1, 7), w.seq(9)), { code: 'FOREIGN_EPOCH' })
  }),
  proves('a foreign epoch is refused even when the range is reversed', async (t, w) => {
    const request = { ...w.place('u'), afterSeq: mailboxSeq(w.epoch + 1, 5), upTo: w.seq(1), limit: 1 }
    await t.rejects(w.mailbox.store.rangeScan(request), { code: 'FOREIGN_EPOCH' })
  }),
  proves('a limit is 1 to 10,000', async (t, w) => {
    for (const limit of [0, -1, 1.5, 10_001, Number.NaN]) {
      await t.rejects(range(w, 'u', -1, 9, limit), { code: 'MALFORMED' })
    }
    t.same((await range(w, 'u', -1, 9, 10_000)).events, [])
  }),
  proves('the end of the epoch can be asked for', async (t, w) => {
    await w.append('u', 5)
    const request = { ...w.place('u'), afterSeq: beforeEpoch(w.epoch), upTo: endOfEpoch(w.epoch), limit: 9 }
    const page = await w.mailbox.store.rangeScan(request)
    t.same([payloadsOf(page.events), page.covered], [['e5'], endOfEpoch(w.epoch)])
  }),
  proves('an early day is read although a day far ahead exists', async (t, w) => {
    await w.append('u', 1, { day: -5 })
    await w.append('u', 2, { day: 25 })
    await w.append('u', 3, { day: -5 })
    t.same(await w.scan('u', -1, 9), ['e1', 'e2', 'e3'])
  }),
  proves('natural expiry raises the gap boundary and leaves the trim watermark alone', async (t, w) => {
    await w.append('u', 1, { day: -6 })
    await w.append('u', 2)
    await w.advanceDays(1)
    const state = await retention(w, 'u')
    t.same(state, { gapBoundary: w.seq(1), trimWatermark: undefined, activeDays: [w.today] })
  }),
  proves('a cursor before the gap boundary is expired and told where to go on', async (t, w) => {
    await w.append('u', 1, { day: -6 })
    await w.append('u', 2)
    await w.advanceDays(1)
    await t.rejects(w.scan('u', -1, 9), {
      code: 'CURSOR_EXPIRED',
      trimWatermark: w.seq(1),
      resumeAfter: w.seq(1),
      rebuildRequired: true,
    })
    await t.rejects(w.scan('u', 0, 9), { code: 'CURSOR_EXPIRED' })
    t.same(await w.scan('u', 1, 9), ['e2'])
  }),
  proves('expired events are gone even if nobody cleaned up yet', async (t, w) => {
    await w.append('u', 1, { day: -6 })
    await w.append('u', 2)
    await w.advanceDays(1, true)
    await t.rejects(w.scan('u', -1, 9), { code: 'CURSOR_EXPIRED' })
    t.same(await w.scan('u', 1, 9), ['e2'])
    t.equal((await retention(w, 'u')).gapBoundary, w.seq(1))
  }),
  proves('an expiry in the middle of the sequence is a gap for cursors on both sides of it', async (t, w) => {
    await w.append('u', 1)
    await w.append('u', 2, { day: -6 })
    await w.append('u', 3)
    await w.advanceDays(1)
    await t.rejects(w.scan('u', 0, 9), { code: 'CURSOR_EXPIRED', trimWatermark: w.seq(2) })
    await t.rejects(w.scan('u', 1, 9), { code: 'CURSOR_EXPIRED' })
    t.same(await w.scan('u', 2, 9), ['e3'])
  }),
  proves('an expiry between the check and the read is never hidden', async (t, w) => {
    await w.append('u', 1, { day: -6 })
    await w.append('u', 2)
    w.between = async () => {
      w.between = undefined
      await w.advanceDays(1)
    }
    await t.rejects(w.scan('u', -1, 9), { code: 'CURSOR_EXPIRED', trimWatermark: w.seq(1) })
    t.same(await w.scan('u', 1, 9), ['e2'])
  }),
  proves('an expiry between the check and the read behind the cursor does not matter', async (t, w) => {
    await w.append('u', 1, { day: -6 })
    await w.append('u', 2)
    w.between = async () => {
      w.between = undefined
      await w.advanceDays(1)
    }
    t.same(await w.scan('u', 1, 9), ['e2'])
  }),
  proves('an expired replay between the check and the read is never hidden', async (t, w) => {
    await w.append('u', 1)
    w.between = async () => {
      w.between = undefined
      await w.append('u', 2, { day: -20 })
    }
    await t.rejects(w.scan('u', -1, 9), { code: 'CURSOR_EXPIRED', trimWatermark: w.seq(2) })
  }),
  proves('a truncation between the check and the read is never hidden', async (t, w) => {
    await w.append('u', 1)
    await w.append('u', 2)
    w.between = async () => {
      w.between = undefined
      await w.mailbox.store.truncateBefore(w.place('u'), w.seq(2))
    }
    await t.rejects(w.scan('u', -1, 9), { code: 'CURSOR_EXPIRED', trimWatermark: w.seq(1) })
  }),
  proves('truncateBefore removes what lies below and moves the trim watermark', async (t, w) => {
    for (const offset of [1, 2, 3, 4]) await w.append('u', offset)
    t.equal(await w.mailbox.store.truncateBefore(w.place('u'), w.seq(3)), w.seq(2))
    t.same(await retention(w, 'u'), { gapBoundary: undefined, trimWatermark: w.seq(2), activeDays: [w.today] })
    await t.rejects(w.scan('u', 1, 9), { code: 'CURSOR_EXPIRED', trimWatermark: w.seq(2) })
    t.same(await w.scan('u', 2, 9), ['e3', 'e4'])
  }),
  proves('truncateBefore goes over days, and drops those that are empty', async (t, w) => {
    await w.append('u', 1, { day: -2 })
    await w.append('u', 2, { day: 1 })
    await w.append('u', 3, { day: -2 })
    await w.append('u', 4, { day: 0 })
    await w.mailbox.store.truncateBefore(w.place('u'), w.seq(3))
    t.same((await retention(w, 'u')).activeDays, [w.today - 2, w.today])
    t.same(await w.scan('u', 2, 9), ['e3', 'e4'])
  }),
  proves('truncateBefore never goes back', async (t, w) => {
    for (const offset of [1, 2, 3]) await w.append('u', offset)
    await w.mailbox.store.truncateBefore(w.place('u'), w.seq(3))
    t.equal(await w.mailbox.store.truncateBefore(w.place('u'), w.seq(2)), w.seq(2))
    t.same(await w.scan('u', 2, 9), ['e3'])
  }),
  proves('truncateBefore takes nothing that is yet to come', async (t, w) => {
    await w.append('u', 1)
    t.equal(await w.mailbox.store.truncateBefore(w.place('u'), w.seq(100)), w.seq(1))
    t.equal(await w.append('u', 2), 'appended')
    t.same(await w.scan('u', 1, 9), ['e2'])
  }),
  proves('truncateBefore of an unknown user does nothing', async (t, w) => {
    t.equal(await w.mailbox.store.truncateBefore(w.place('u'), w.seq(100)), undefined)
    t.equal(await w.append('u', 1), 'appended')
    t.equal(await w.mailbox.store.truncateBefore(w.place('u'), w.seq(0)), undefined)
    t.same(await w.scan('u', -1, 9), ['e1'])
  }),
  proves('truncateBefore of everything leaves a mailbox that works', async (t, w) => {
    await w.append('u', 1, { payloads: ['a', 'b'] })
    await w.append('u', 2, { day: -1 })
    await w.mailbox.store.truncateBefore(w.place('u'), w.seq(3))
    t.same((await retention(w, 'u')).activeDays, [])
    t.equal(await w.append('u', 3), 'appended')
    t.same(await w.scan('u', 2, 9), ['e3'])
  }),
  proves('truncateBefore of another epoch is refused', async (t, w) => {
    const other = mailboxSeq(w.epoch + 1, 1)
    await t.rejects(w.mailbox.store.truncateBefore(w.place('u'), other), { code: 'FOREIGN_EPOCH' })
  }),
  proves('a replay of what was truncated writes nothing', async (t, w) => {
    for (const offset of [1, 2, 3]) await w.append('u', offset)
    await w.mailbox.store.truncateBefore(w.place('u'), w.seq(3))
    t.equal(await w.append('u', 1), 'trimmed')
    t.equal(await w.append('u', 2, { payloads: ['x'] }), 'trimmed')
    t.equal(await w.append('u', 3), 'replayed')
    t.same(await w.scan('u', 2, 9), ['e3'])
  }),
  proves('truncation and expiry keep apart', async (t, w) => {
    await w.append('u', 1, { day: -6 })
    await w.append('u', 2)
    await w.append('u', 3)
    await w.mailbox.store.truncateBefore(w.place('u'), w.seq(3))
    await w.advanceDays(1)
    t.same(await retention(w, 'u'), { gapBoundary: undefined, trimWatermark: w.seq(2), activeDays: [w.today] })
    await w.advanceDays(6)
    t.same(await retention(w, 'u'), { gapBoundary: w.seq(3), trimWatermark: w.seq(2), activeDays: [] })
  }),
  proves('32 days in a row: the mailbox slides along', async (t, w) => {
    for (let day = 0; day < 32; day++) {
      t.equal(await w.append('u', day, { day }), 'appended', `day ${day}`)
      await w.advanceDays(1)
    }
    const state = await retention(w, 'u')
    t.equal(state.gapBoundary, w.seq(25))
    t.same(
      state.activeDays,
      [26, 27, 28, 29, 30, 31].map(day => w.today + day),
    )
    t.same(await w.scan('u', 25, 99), ['e26', 'e27', 'e28', 'e29', 'e30', 'e31'])
  }),
  proves(
    '31 active days are held, and a 32nd in a row goes on as the first expires',
    async (t, w) => {
      for (let day = 0; day < 31; day++) await w.append('u', day, { day: day - 30 })
      t.equal((await retention(w, 'u')).activeDays.length, 31)
      t.equal((await w.scan('u', -1, 99)).length, 31)
      await t.rejects(w.append('u', 31, { day: 1 }), { code: 'DAY_SPAN' })
      await w.advanceDays(1)
      t.equal(await w.append('u', 31, { day: 1 }), 'appended')
      const state = await retention(w, 'u')
      t.same([state.activeDays.length, state.gapBoundary], [31, w.seq(0)])
    },
    31,
  ),
  proves('a user who was away for months finds the gap, and new events behind it', async (t, w) => {
    await w.append('u', 1, { payloads: ['a', 'b'] })
    await w.append('u', 2, { day: 3 })
    await w.advanceDays(120)
    await t.rejects(w.scan('u', 1, 9), { code: 'CURSOR_EXPIRED', trimWatermark: w.seq(2) })
    t.equal(await w.append('u', 3, { day: 120 }), 'appended')
    t.same(await w.scan('u', 2, 9), ['e3'])
    t.same(await retention(w, 'u'), {
      gapBoundary: w.seq(2),
      trimWatermark: undefined,
      activeDays: [w.today + 120],
    })
  }),
  proves('an append alone folds what has expired', async (t, w) => {
    await w.append('u', 1, { day: -6 })
    await w.append('u', 2, { day: -5 })
    await w.advanceDays(1)
    t.equal(await w.append('u', 3, { day: 1 }), 'appended')
    await w.advanceDays(1, true)
    t.equal(await w.append('u', 3, { day: 1 }), 'replayed')
    t.equal((await retention(w, 'u')).gapBoundary, w.seq(2))
    t.same(await w.scan('u', 2, 9), ['e3'])
  }),
  proves('what expired cannot be replayed into life', async (t, w) => {
    await w.append('u', 1, { day: -6 })
    await w.append('u', 2)
    await w.advanceDays(1, true)
    t.equal(await w.append('u', 1, { day: -6 }), 'expired')
    t.same(await w.scan('u', 1, 9), ['e2'])
  }),
  proves('promoting again and again changes nothing', async (t, w) => {
    await w.append('u', 1, { day: -6 })
    await w.append('u', 2)
    await w.advanceDays(1)
    const once = await retention(w, 'u')
    t.same(await retention(w, 'u'), once)
    t.same(await retention(w, 'u'), once)
  }),
]
