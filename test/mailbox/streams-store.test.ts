// Device fan-out of the streams backend: each device is a consumer group. The rest is in the contract.

import t from 'tap'
import { allBackends, payloadsOf } from './contract/harness.js'
import type { StreamsMailboxStore } from '../../src/mailbox/streams-store.js'

const backends = (await allBackends(t)).filter(({ name }) => name.endsWith('streams'))

for (const backend of backends) {
  t.test(backend.name, async t => {
    const w = await backend.world()
    const store = w.mailbox.store as StreamsMailboxStore
    const place = w.place('u')

    t.same(await store.readDevice(place, 'phone', 10), [], 'a device may come before the first event')
    await w.append('u', 1, { payloads: ['a', 'b'] })
    await w.append('u', 2)
    const phone = await store.readDevice(place, 'phone', 10)
    t.same(payloadsOf(phone), ['a', 'b', 'e2'])
    t.same(phone[1], { ...w.group('u', 1, { payloads: ['a', 'b'] }).events[1], seq: w.seq(1) })
    t.same(await store.readDevice(place, 'phone', 10), [], 'each event once')
    t.same(payloadsOf(await store.readDevice(place, 'laptop', 2)), ['a', 'b'], 'each device for itself')
    t.same(payloadsOf(await store.readDevice(place, 'laptop', 2)), ['e2'])

    t.equal(await store.ackDevice(place, 'phone', phone.slice(0, 2)), 2)
    t.same(
      payloadsOf(await store.readDevice(place, 'phone', 10, true)),
      ['e2'],
      'what was not acknowledged comes again',
    )
    t.equal(await store.ackDevice(place, 'phone', []), 0)

    await w.append('u', 3, { day: 1 })
    await w.append('u', 2, { payloads: ['x', 'y'] })
    t.same(await w.scan('u', -1, 9), ['a', 'b', 'x', 'y', 'e3'])
    t.ok(payloadsOf(await store.readDevice(place, 'phone', 10)).includes('e3'), 'a replacement hides nothing new')

    const key = w.keys.stream(w.shard, w.epoch, 'u')
    t.match((await w.client!.xrange(key, '-', '+')).map(([id]) => id)[0], new RegExp(`^${w.seq(1)}-0$`))
    await w.advanceDays(8)
    t.same(payloadsOf(await store.readDevice(place, 'phone', 10, true)), [], 'expired events are given to nobody')
    await w.append('u', 4, { day: 8 })
    t.same(payloadsOf(await store.readDevice(place, 'phone', 10)).slice(-1), ['e4'])
    await w.client!.del(key)
    t.same(await store.readDevice(place, 'phone', 10), [], 'a stream that went is begun again')
  })
}
