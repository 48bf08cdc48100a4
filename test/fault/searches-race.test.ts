// Commands with ACKED look at very many groups in parts while other clients change what they look at. Each must have
// done what it would have done in one go at its place in the journal: a replay does it so, and has to arrive at the
// same streams. RACE_STEPS commands of each client (60).

import { rmSync } from 'node:fs'
import { Redis } from 'ioredis'
import t from 'tap'
import { seeded } from '../support/seeded.js'
import type { Seeded } from '../support/seeded.js'
import { startServer } from '../support/start-server.js'

const STEPS = Number(process.env.RACE_STEPS ?? 60)
const CLIENTS = 8
const CROWD = 600
const GROUPS = ['g', 'h', 'i']
const ENTRIES = 400

type Words = (string | number)[]

/** None of them depends on what another one answers. */
function randomCommand(random: Seeded, client: number): Words {
  const group = random.pick(GROUPS)
  const some = Array.from({ length: random.between(1, 20) }, () => `${random.between(1, ENTRIES)}-0`)
  const roll = random.below(100)
  if (roll < 15)
    return ['XADD', 's', 'MAXLEN', random.pick(['=', '~']), random.between(50, ENTRIES), 'ACKED', '*', 'f', 'v']
  if (roll < 20) return ['XADD', 's', 'ACKED', 'MINID', `${random.below(ENTRIES)}-0`, '*', 'f', 'v']
  if (roll < 30) return ['XTRIM', 's', 'MAXLEN', random.between(0, ENTRIES), 'ACKED']
  if (roll < 35) return ['XTRIM', 's', 'MAXLEN', '~', random.below(ENTRIES), 'LIMIT', random.between(1, 9), 'ACKED']
  if (roll < 40) return ['XDELEX', 's', 'ACKED', 'IDS', some.length, ...some]
  if (roll < 45) return ['XACKDEL', 's', group, 'ACKED', 'IDS', some.length, ...some]
  if (roll < 48) return ['XDELEX', 's', 'DELREF', 'IDS', some.length, ...some]
  if (roll < 52) return ['XDEL', 's', ...some]
  if (roll < 72)
    return ['XREADGROUP', 'GROUP', group, `c${client}`, 'COUNT', random.between(1, 20), 'STREAMS', 's', '>']
  if (roll < 90) return ['XACK', 's', group, ...some]
  if (roll < 93) return ['XCLAIM', 's', group, `c${client}`, 0, ...some, 'FORCE', 'JUSTID']
  if (roll < 94) return ['XGROUP', 'SETID', 's', group, `${random.below(ENTRIES)}-0`]
  if (roll < 97) return ['XGROUP', 'CREATE', 's', `new${client}-${random.below(9)}`, '$']
  if (roll < 99) return ['XGROUP', 'DELCONSUMER', 's', group, `c${random.below(CLIENTS)}`]
  return ['XNACK', 's', group, 'FAIL', 'IDS', some.length, ...some]
}

/** Without the times at which consumers were seen: that of a read that found nothing is not in the journal. */
function withoutSeen(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  return value.filter((_, i) => value[i - 1] !== 'seen-time').map(withoutSeen)
}

t.test('what they did in parts is what they do at their place in the journal', { timeout: 300_000 }, async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const options = { args: ['--bind', '127.0.0.1'] }
  let server = await startServer(options)
  const { dir } = server
  t.teardown(async () => {
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  })
  const connect = (): Redis => new Redis({ port: server.port, host: '127.0.0.1', protocol: 2 })
  const clients = Array.from({ length: CLIENTS }, connect)
  const [first] = clients
  const call = (redis: Redis, [name, ...words]: Words): Promise<unknown> => redis.call(String(name), ...words)
  const fill: Words[] = Array.from({ length: ENTRIES }, (_, i) => ['XADD', 's', `${i + 1}-0`, 'f', 'v'])
  for (const group of GROUPS) {
    fill.push(['XGROUP', 'CREATE', 's', group, 0])
    fill.push(['XREADGROUP', 'GROUP', group, 'c0', 'STREAMS', 's', '>'])
  }
  // The crowd stands in nobody's way: it is only looked at, behind the others.
  for (let i = 0; i < CROWD; i++) fill.push(['XGROUP', 'CREATE', 's', `crowd${i}`, '18446744073709551615-0'])
  await Promise.all(fill.map(words => call(first, words)))

  const answers = await Promise.all(
    clients.map(async (redis, client) => {
      const replies: unknown[] = []
      for (let step = 0; step < STEPS; step++) {
        replies.push(await call(redis, randomCommand(random, client)).catch((error: unknown) => String(error)))
      }
      return replies
    }),
  )
  t.equal(answers.flat().filter(answer => String(answer).includes('ERR')).length, 0)

  const seen = async (redis: Redis) => ({
    entries: await call(redis, ['XRANGE', 's', '-', '+']),
    facts: withoutSeen(await call(redis, ['XINFO', 'STREAM', 's', 'FULL', 'COUNT', 0])),
  })
  const before = await seen(first)
  t.ok((before.entries as unknown[]).length > 0)
  for (const redis of clients) redis.disconnect()
  await server.kill9()
  server = await startServer({ ...options, dir })
  const again = connect()
  const after = await seen(again)
  again.disconnect()
  t.same(after.entries, before.entries)
  t.same(after.facts, before.facts)
})
