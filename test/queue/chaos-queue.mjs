// One process of the queue's chaos test: node chaos-queue.mjs PORT STORAGE producer|consumer PLACE COUNT. A producer
// publishes COUNT messages named by its place and tells the parent of each that was stored; begun again after a kill,
// it goes on where the parent says. It distributes too. A consumer confirms what it fetches. Killed without warning. It
// runs the built package: many of them start in a short time.

import { MessageStorage, RedisBackend } from '../../dist/queue/index.js'

const [port, name, role, place, count] = process.argv.slice(2)
process.on('disconnect', () => process.exit(0))
const storage = await served(async () =>
  MessageStorage.open(name, new RedisBackend({ port: Number(port), host: '127.0.0.1' }), { publishRetryMs: 600_000 }),
)
const queues = await served(() =>
  Promise.all(['all', 'even'].map(queue => storage.declareQueue(queue, { leaseMs: 1000 }))),
)

if (role === 'producer') {
  await storage.distribute({
    sliceMessages: 20,
    pollMs: 100,
    upkeepMs: 200,
    filter: (message, queue) => queue === 'all' || Number(message.body.toString().split('-')[1]) % 2 === 0,
  })
  process.send({ ready: Number(place) })
  const [from] = await new Promise(resolve => process.once('message', from => resolve([from])))
  for (let i = from; i < Number(count); i++) {
    await storage.publish(`${place}-${i}`)
    process.send({ stored: `${place}-${i}`, place: Number(place), next: i + 1 })
  }
} else {
  for (;;) {
    for (const queue of queues) {
      try {
        await queue.confirm(await queue.fetch(10, { waitMs: 50 }))
      } catch {
        // The server is away, or a lease passed meanwhile: the message comes again.
        await new Promise(resolve => setTimeout(resolve, 20))
      }
    }
  }
}

/** The server may be away just now. */
async function served(ask) {
  for (;;) {
    try {
      return await ask()
    } catch {
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}
