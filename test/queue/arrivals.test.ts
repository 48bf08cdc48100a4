import t from 'tap'
import { setImmediate as turn } from 'node:timers/promises'
import { Bell } from '../../src/client/waiting.js'
import { Arrivals } from '../../src/queue/arrivals.js'

/** A channel that notes its subscriptions. */
class Channel {
  begun = 0
  ended = 0
  wake: () => void = () => undefined
  fault: Error | undefined
  readonly arrivals = new Arrivals(async wake => {
    this.begun++
    await turn()
    if (this.fault !== undefined) throw this.fault
    this.wake = wake
    return async () => void this.ended++
  })
}

t.test('waits that follow one another share a subscription', async t => {
  const channel = new Channel()
  t.equal(channel.arrivals.lives, false)
  for (let i = 0; i < 3; i++) {
    const bell = new Bell()
    const end = await channel.arrivals.listen(bell)
    t.equal(channel.arrivals.lives, true)
    setImmediate(() => channel.wake())
    t.equal(await bell.wait(60_000), true)
    end()
  }
  t.equal(channel.begun, 1)
  t.equal(channel.ended, 0)
})

t.test('waits at the same time share it too, and each is rung', async t => {
  const channel = new Channel()
  const bells = [new Bell(), new Bell()]
  const ends = await Promise.all(bells.map(bell => channel.arrivals.listen(bell)))
  t.equal(channel.begun, 1)
  channel.wake()
  t.same(await Promise.all(bells.map(bell => bell.wait(60_000))), [true, true])
  ends[0]()
  channel.wake()
  t.equal(await bells[1].wait(60_000), true)
  t.equal(await bells[0].wait(1), false, 'who no longer listens hears nothing')
})

t.test('a subscription that fails is told, and tried again by the next wait', async t => {
  const channel = new Channel()
  channel.fault = new Error('the server is away')
  await t.rejects(channel.arrivals.listen(new Bell()), { message: 'the server is away' })
  t.equal(channel.arrivals.lives, false)
  channel.fault = undefined
  await channel.arrivals.listen(new Bell())
  t.equal(channel.begun, 2)
  t.equal(channel.arrivals.lives, true)
})

t.test('it ends some time after the last wait, and the next one begins anew', async t => {
  const timers = t.capture(globalThis, 'setTimeout', ((run: () => void) => {
    fire = run
    return { unref: () => undefined }
  }) as unknown as typeof setTimeout)
  let fire: () => void = () => undefined
  const channel = new Channel()
  const end = await channel.arrivals.listen(new Bell())
  t.equal(timers().length, 0)
  end()
  fire()
  await turn()
  t.equal(channel.ended, 1)
  t.equal(channel.arrivals.lives, false)
  await channel.arrivals.listen(new Bell())
  t.equal(channel.begun, 2)
})
