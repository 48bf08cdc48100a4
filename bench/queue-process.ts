// One process of bench/queue.ts: a producer that also distributes, or a consumer. Started with IPC:
//   node --import tsx bench/queue-process.ts producer|consumer PORT batched|each|work|single
// For each run the parent names a storage and a count; it opens that, says 'ready', begins at 'go', and answers what it
// measured. A process serves several runs, so that the first of them warms it as the servers are warmed.

import { once } from 'node:events'
import type { MessageQueue } from '../src/queue/index.js'
import { MessageStorage, RedisBackend } from '../src/queue/index.js'

/** How messages are published, fetched and confirmed. */
export type QueueMode = 'batched' | 'each' | 'work' | 'single'

export interface QueueRun {
  readonly storage: string
  readonly count: number
}

export interface Consumed {
  /** Milliseconds from publishing (by the server's clock) to confirmation, one for each message. */
  latenciesMs: number[]
}

const [role, port, mode] = process.argv.slice(2) as [string, string, QueueMode]
const QUEUE = 'bench'
const BODY = Buffer.alloc(100, 'x')
const FETCH = 500
const CONCURRENCY = 16
/** In `each`: callers that publish, and handlers, at a time. */
const CALLERS = 64

const backend = new RedisBackend({ port: Number(port), host: '127.0.0.1' })

function nowUs(): number {
  return (performance.timeOrigin + performance.now()) * 1000
}

async function produce(storage: MessageStorage, count: number): Promise<void> {
  if (mode === 'batched') return void (await storage.publishMany(Array.from({ length: count }, () => BODY)))
  let published = 0
  const caller = async (): Promise<void> => {
    while (published++ < count) await storage.publish(BODY)
  }
  await Promise.all(Array.from({ length: mode === 'each' ? CALLERS : 1 }, caller))
}

/** Fetches and confirms by hand: 500 at a time, or one. */
async function fetchAll(queue: MessageQueue, count: number): Promise<Consumed> {
  const latenciesMs: number[] = []
  while (latenciesMs.length < count) {
    const deliveries = await queue.fetch(mode === 'batched' ? FETCH : 1, { waitMs: 1000 })
    await queue.confirm(deliveries)
    const atUs = nowUs()
    for (const { message } of deliveries) latenciesMs.push((atUs - message.publishedUs) / 1000)
  }
  return { latenciesMs }
}

/** The loop that a service runs: handlers of one message each, confirmed by the loop. */
async function workAll(queue: MessageQueue, count: number): Promise<Consumed> {
  const latenciesMs: number[] = []
  const done = new AbortController()
  const handle = async (delivery: { confirm(): Promise<void>; message: { publishedUs: number } }) => {
    await delivery.confirm()
    latenciesMs.push((nowUs() - delivery.message.publishedUs) / 1000)
    if (latenciesMs.length === count) done.abort()
  }
  await queue.work(handle, { concurrency: mode === 'each' ? CALLERS : CONCURRENCY, signal: done.signal })
  return { latenciesMs }
}

async function serve({ storage: name, count }: QueueRun): Promise<void> {
  const storage = await MessageStorage.open(name, backend)
  const queue = await storage.declareQueue(QUEUE)
  if (role === 'producer') await storage.distribute({ sliceMessages: 1000, upkeepMs: 60_000 })
  const go = once(process, 'message')
  process.send!('ready')
  await go
  if (role === 'producer') await produce(storage, count)
  const consumed =
    role === 'consumer'
      ? await (mode === 'batched' || mode === 'single' ? fetchAll(queue, count) : workAll(queue, count))
      : 'done'
  // The producer goes on distributing until the parent says that all has arrived.
  const end = once(process, 'message')
  process.send!(consumed)
  await end
  await storage.dispose()
}

process.once('disconnect', () => process.exit(0))
for (;;) {
  const next = once(process, 'message')
  process.send!('idle')
  const [run] = (await next) as [QueueRun]
  await serve(run)
}
