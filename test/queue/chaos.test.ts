// Ten processes (producers that distribute, consumers) and the server, killed at random between any two steps: what was
// said to be stored is in every queue that wants it, exactly once, and is confirmed. CHAOS_MESSAGES messages (800).

import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { MessageStorage, RedisBackend } from '../../src/queue/index.js'
import { havoc, MortalProcesses, MortalServer } from '../support/chaos.js'
import { seeded } from '../support/seeded.js'
import { tempDir } from '../support/temp-dir.js'

const PRODUCERS = 4
const CONSUMERS = 6
const COUNT = Math.ceil(Number(process.env.CHAOS_MESSAGES ?? 800) / PRODUCERS)
const KILLS = Math.max(12, Math.floor((COUNT * PRODUCERS) / 500))
const PROGRAM = fileURLToPath(new URL('chaos-queue.mjs', import.meta.url))

interface Told {
  ready?: number
  stored?: string
  place?: number
  next?: number
}

t.test('processes and server are killed at random, and every stored message is confirmed once', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const server = await MortalServer.start(tempDir(t))
  t.teardown(() => server.stop())
  const stored = new Set<string>()
  const next = Array.from({ length: PRODUCERS }, () => 0)
  const take = (told: unknown, child: ChildProcess): void => {
    const { ready, stored: body, place, next: following } = told as Told
    if (ready !== undefined) child.send(next[ready])
    if (body === undefined) return
    stored.add(body)
    next[place!] = following!
  }
  const processes = new MortalProcesses(
    PRODUCERS + CONSUMERS,
    place => {
      const role = place < PRODUCERS ? 'producer' : 'consumer'
      return [PROGRAM, String(server.port), 'chaos', role, String(place), String(COUNT)]
    },
    take,
  )
  t.teardown(() => processes.stop('SIGKILL'))
  await havoc(rng, server, processes, COUNT * PRODUCERS, KILLS, async () => stored.size)
  const backend = new RedisBackend({ port: server.port, host: '127.0.0.1' })
  const storage = await MessageStorage.open('chaos', backend)
  t.teardown(async () => {
    await storage.dispose()
    await backend.dispose()
  })
  const all = await storage.queue('all')
  const even = await storage.queue('even')
  for (;;) {
    const [a, b] = [await all.counts(), await even.counts()]
    const everything = stored.size === COUNT * PRODUCERS && a.total === (await storage.messageCount())
    if (everything && a.confirmed === a.total && b.confirmed === b.total && (await distributed(storage))) break
    await sleep(50)
  }
  t.comment(`${processes.kills} processes and ${server.kills} servers were killed`)

  const bodies: string[] = []
  for await (const { body } of storage.messages()) bodies.push(body.toString())
  const distinct = new Set(bodies)
  const doubled = bodies.length - distinct.size
  t.same(
    [...stored].filter(body => !distinct.has(body)),
    [],
    'nothing that was stored is lost',
  )
  t.ok(doubled <= processes.kills, `${doubled} were stored by a producer that died before it heard so`)
  for (const [queue, wants] of [
    [all, () => true],
    [even, (body: string) => Number(body.split('-')[1]) % 2 === 0],
  ] as const) {
    const confirmed = await queue.list('confirmed', bodies.length + 1)
    t.same(
      confirmed.map(({ storageUid }) => storageUid).sort((a, b) => a - b),
      bodies.flatMap((body, i) => (wants(body) ? [i + 1] : [])),
      `${queue.name} has each once`,
    )
  }
})

async function distributed(storage: MessageStorage): Promise<boolean> {
  const count = await storage.messageCount()
  return (await storage.queues()).every(({ watermark }) => watermark === count)
}
