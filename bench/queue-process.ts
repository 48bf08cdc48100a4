// One process of bench/queue.ts: a producer that also distributes, or a consumer. Started with IPC:
//   node --import tsx bench/queue-process.ts producer|consumer PORT STORAGE batched|single COUNT
// It says 'ready', begins at the parent's message, and answers what it measured.

import { MessageStorage, RedisBackend } from '../src/queue/index.js'

const [role, port, name, mode, counted] = process.argv.slice(2)
const count = Number(counted)
const batched = mode === 'batched'
const QUEUE = 'bench'
const BODY = Buffer.alloc(100, 'x')
const FETCH = 500

export interface Consumed {
  /** Milliseconds from publishing (by the server's clock) to confirmation, one for each message. */
  latenciesMs: number[]
}

const backend = new RedisBackend({ port: Number(port), host: '127.0.0.1' })
const storage = await MessageStorage.open(name, backend)
const queue = await storage.declareQueue(QUEUE)

async function produce(): Promise<void> {
  if (batched) await storage.publishMany(Array.from({ length: count }, () => BODY))
  else for (let i = 0; i < count; i++) await storage.publish(BODY)
}

async function consume(): Promise<Consumed> {
  const latenciesMs: number[] = []
  const size = batched ? FETCH : 1
  while (latenciesMs.length < count) {
    const deliveries = await queue.fetch(size, { waitMs: 1000 })
    await queue.confirm(deliveries)
    const nowUs = (performance.timeOrigin + performance.now()) * 1000
    for (const { message } of deliveries) latenciesMs.push((nowUs - message.publishedUs) / 1000)
  }
  return { latenciesMs }
}

if (role === 'producer') await storage.distribute({ sliceMessages: 1000, upkeepMs: 60_000 })
process.send!('ready')
process.once('message', () => {
  const work = role === 'producer' ? produce() : consume()
  void work.then(async result => {
    process.send!(result ?? 'done')
    if (role === 'consumer') return
    await new Promise(resolve => process.once('message', resolve))
  })
})
process.once('disconnect', () => process.exit(0))
