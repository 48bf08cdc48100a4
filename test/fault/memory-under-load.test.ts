// Resident memory under constant load: what a fast load takes for a while - changed pages, the checkpoint's own copy of
// them - goes back to the system although clients never stop asking. LOAD_MEMORY_MIB of data (192).

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { addon } from '../../src/native/addon.js'
import { encodeCommand, RespClient } from '../support/resp-client.js'
import { startServer } from '../support/start-server.js'

t.setTimeout(600_000)
const MIB = 1 << 20
const DATA_BYTES = Number(process.env.LOAD_MEMORY_MIB ?? 192) * MIB
const CACHE_BYTES = 16 * MIB
/**
 * One checkpoint writes all of it. What may stay beyond that of a server without data: the cache, what V8 has not
 * collected yet of evicted pages (64 MiB) and of its own, and free memory of one step. The allocator alone would keep
 * twice the data.
 */
const MORE_BYTES = 270 * MIB
const ENTRY_BYTES = 4000
const BATCH = 250
const STREAMS = 8

const anonymousBytes = (pid: number) =>
  1024 * Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])

t.test('memory of a fast load goes back while a client keeps asking', async t => {
  if (addon?.trimHeapSome === undefined) return t.pass('the addon was not built')
  const server = await startServer({
    args: ['--page-cache-bytes', String(CACHE_BYTES), '--checkpoint-dirty-bytes', '1gb'],
  })
  t.teardown(() => server.kill9())
  const [loader, asker] = [await RespClient.connect(server.port), await RespClient.connect(server.port)]
  t.teardown(() => (loader.close(), asker.close()))
  const before = anonymousBytes(server.pid)
  let [asking, peak] = [true, 0]
  const asked = (async () => {
    while (asking) {
      // Never so few that the server takes it for quiet.
      asker.send(Buffer.concat(Array.from({ length: 20 }, () => encodeCommand(['GET', 'hot']))))
      for (let i = 0; i < 20; i++) await asker.reply()
      peak = Math.max(peak, anonymousBytes(server.pid) - before)
      await sleep(5)
    }
  })()
  const text = randomBytes(ENTRY_BYTES / 2).toString('hex')
  for (let done = 0; done < DATA_BYTES / ENTRY_BYTES; done += BATCH) {
    const stream = `stream${(done / BATCH) % STREAMS}`
    const adds = Array.from({ length: BATCH }, (_, i) =>
      encodeCommand(['XADD', stream, `${done + i + 1}-0`, 'v', text]),
    )
    loader.send(Buffer.concat(adds))
    for (let i = 0; i < BATCH; i++) if ((await loader.reply())[0] === 45) t.fail('an entry was refused')
  }
  t.equal(await loader.text('SAVE'), '+OK\r\n')
  let more = Infinity
  for (let looks = 0; looks < 600 && more > MORE_BYTES; looks++) {
    await sleep(100)
    more = anonymousBytes(server.pid) - before
  }
  asking = false
  await asked
  t.comment(`${DATA_BYTES / MIB} MiB loaded; ${(peak / MIB).toFixed(0)} MiB at most, ${(more / MIB).toFixed(0)} then`)
  t.ok(more <= MORE_BYTES, `${more} bytes of anonymous memory beyond those of the idle server`)
})
