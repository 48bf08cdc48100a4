// The same seeded random commands to redis-server and to Millrace: equal replies, byte for byte, but for what
// normalise.ts masks. DIFF_COUNT commands per protocol (2,500; npm run test:long sets more). A failure prints its seed
// and the shortest sequence found.

import t from 'tap'
import { seeded, Seeded } from '../support/seeded.js'
import { startRedisServer } from '../support/redis-server.js'
import { startServer } from '../support/start-server.js'
import { Generator, type Command } from './generator.js'
import { listing, Pair } from './pair.js'

const COUNT = Number(process.env.DIFF_COUNT ?? 2500)
/** Commands between two FLUSHALLs: long enough for big streams, short enough for readable failures. */
const RUN = 1250

function commandsOf(rng: Seeded, count: number): Command[] {
  const generator = new Generator(rng)
  return Array.from({ length: count }, () => generator.next())
}

t.test('the comparison itself: two redis-servers never differ, and a changed reply is seen', async t => {
  const [a, b] = [await startRedisServer(), await startRedisServer()]
  t.teardown(async () => void (await Promise.all([a.stop(), b.stop()])))
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const pair = await Pair.connect(a.port, b.port, 3)
  t.teardown(() => pair.close())
  const commands = commandsOf(rng, 1000)
  t.equal(await pair.run(commands), undefined, 'no difference')
  const clock = "local now = redis.call('TIME') return now[1] .. now[2]"
  const altered = [...commands.slice(0, 200), ['DISCARD'], ['EVAL', clock, 0]]
  const found = await pair.run(altered)
  t.ok(found !== undefined && found.at >= 200, 'readings of two clocks differ')
})

for (const protocol of [2, 3] as const) {
  t.test(`replies equal those of redis-server, RESP${protocol}`, async t => {
    const redis = await startRedisServer()
    t.teardown(() => redis.stop())
    // Once with strings as they are kept by default, once with nearly all of them in pieces.
    const pieces = protocol === 2 ? [] : ['--string-row-max-bytes', '64']
    const ours = await startServer({ args: ['--stream-exact-lag', 'no', ...pieces] })
    t.teardown(async () => void (await ours.stop()))
    const rng = seeded()
    t.comment(`SEED=${rng.seed}`)
    const pair = await Pair.connect(redis.port, ours.port, protocol)
    t.teardown(() => pair.close())
    for (let done = 0; done < COUNT; done += RUN) {
      const runSeed = rng.below(2 ** 31)
      const commands = commandsOf(new Seeded(runSeed), RUN)
      const found = await pair.run(commands)
      if (found) {
        const short = await pair.shorten(commands, found)
        t.fail(
          `SEED=${rng.seed}, run seed ${runSeed}\n${listing(short.commands)}\n` +
            `redis: ${short.difference.reference}\nours:  ${short.difference.ours}`,
        )
        return
      }
      t.pass(`${RUN} commands of run seed ${runSeed}`)
    }
  })
}
