// Streams that are written and trimmed for ever: file, journal and memory come to a level and stay there, whatever
// goes through. STEADY_CYCLES rounds (14), each of which writes what the streams hold.

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'

t.setTimeout(3_600_000)
const CYCLES = Number(process.env.STEADY_CYCLES ?? 14)
/** Until free pages and the heap have come to their level. */
const WARM_CYCLES = 6
const STREAMS = 4
const KEPT = 3000
const BATCH = 250
const PAYLOAD = 'x'.repeat(150)
const MIB = 1 << 20

const trims = [
  ['MAXLEN', '~', KEPT],
  ['MAXLEN', '=', KEPT],
] as const

async function figures(client: RespClient): Promise<Map<string, number>> {
  const text = await client.text('INFO', 'storage')
  return new Map(Array.from(text.matchAll(/^(\w+):(\d+)\r$/gm), ([, name, value]) => [name, Number(value)]))
}

/** Appends what the stream holds, reads and acknowledges most of it, and makes and drops keys beside it. */
async function cycle(client: RespClient, stream: number, round: number): Promise<void> {
  const key = `stream${stream}`
  const trim = trims[stream % trims.length]
  for (let done = 0; done < KEPT; done += BATCH) {
    const add = encodeCommand(['XADD', key, ...trim, '*', 'field', PAYLOAD, 'round', round])
    client.send(Buffer.concat(Array.from({ length: BATCH }, () => add)))
    const ids: string[] = []
    for (let i = 0; i < BATCH; i++) ids.push((await client.reply()).toString().split('\r\n')[1])
    await client.command('XREADGROUP', 'GROUP', 'group', 'worker', 'COUNT', BATCH, 'STREAMS', key, '>')
    await client.command('XACK', key, 'group', ...ids)
    await client.command('SET', `passing${stream}:${round}:${done}`, PAYLOAD, 'PX', 50)
    await client.command('RPUSH', `list${stream}`, ...Array.from({ length: 50 }, () => PAYLOAD))
    await client.command('LTRIM', `list${stream}`, -100, -1)
  }
  await client.command('DEL', `zset${stream}`)
  const members = Array.from({ length: 400 }, (_, i) => [i, `member ${i} of ${round}`]).flat()
  await client.command('ZADD', `zset${stream}`, ...members)
}

t.test('endless writes and trims leave file, journal and memory where they are', async t => {
  const args = ['--checkpoint-dirty-bytes', '2mb', '--page-cache-bytes', '2mb', '--checkpoint-replay-records', '5000']
  const server = await startServer({ args })
  t.teardown(() => server.stop())
  const clients = await Promise.all(Array.from({ length: STREAMS }, () => RespClient.connect(server.port)))
  t.teardown(() => clients.forEach(client => client.close()))
  const [admin] = clients
  for (let i = 0; i < STREAMS; i++) await admin.text('XGROUP', 'CREATE', `stream${i}`, 'group', '0', 'MKSTREAM')
  const levels: { file: number; journal: number; anonymous: number; retired: number }[] = []
  for (let round = 0; round < CYCLES; round++) {
    await Promise.all(clients.map((client, i) => cycle(client, i, round)))
    t.equal(await admin.text('SAVE'), '+OK\r\n')
    // What was dropped before a checkpoint is reclaimed in the background after it.
    while (((await figures(admin)).get('retired_objects') ?? 0) > 0) {
      await sleep(20)
      await admin.text('SAVE')
    }
    const now = await figures(admin)
    const status = readFileSync(`/proc/${server.pid}/status`, 'latin1')
    levels.push({
      file: statSync(join(server.dir, 'store', 'data.mdb')).size,
      journal: now.get('journal_bytes')!,
      anonymous: 1024 * Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]),
      retired: now.get('retired_objects')!,
    })
  }
  const written = CYCLES * STREAMS * KEPT * PAYLOAD.length
  t.comment(`${written} bytes of payload went through; after each round: ${JSON.stringify(levels)}`)
  const [warm, later] = [levels.slice(0, WARM_CYCLES), levels.slice(WARM_CYCLES)]
  const highest = (list: typeof levels, what: 'file' | 'journal' | 'anonymous') => Math.max(...list.map(x => x[what]))
  t.ok(highest(later, 'file') <= highest(warm, 'file') * 1.1, 'the file has stopped to grow')
  t.ok(highest(later, 'file') < written, 'and is not what was written')
  t.ok(highest(later, 'journal') < MIB, 'a checkpoint leaves nothing of the journal before it')
  t.ok(highest(later, 'anonymous') <= highest(warm, 'anonymous') * 1.2 + 24 * MIB, 'memory has come to its level')
  for (let i = 0; i < STREAMS; i++) {
    const length = Number((await admin.text('XLEN', `stream${i}`)).slice(1))
    t.ok(length >= KEPT && length < KEPT + 200, `stream ${i} has ${length} entries`)
    t.match(await admin.text('XPENDING', `stream${i}`, 'group'), /^\*4\r\n:0\r\n/)
  }
})
