// The mailbox service that docs/mailbox.md shows, on Millrace and on redis-server: nothing lost, no step back, over a
// takeover and a split. MAILBOX_MESSAGES messages (1,000) for MAILBOX_CLIENTS clients (150).

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startRedisServer } from '../support/redis-server.js'
import { ROOT } from '../support/sources.js'
import { startServer } from '../support/start-server.js'

const MESSAGES = Number(process.env.MAILBOX_MESSAGES ?? 1_000)
const CLIENTS = Number(process.env.MAILBOX_CLIENTS ?? 150)

for (const [name, start] of [
  ['Millrace', startServer],
  ['redis-server', startRedisServer],
] as const) {
  t.test(`the mailbox example on ${name} loses nothing`, async t => {
    const server = await start()
    t.teardown(async () => void (await server.stop()))
    const words = [join(ROOT, 'examples/mailbox/run.mjs'), String(server.port), String(MESSAGES), String(CLIENTS)]
    const { stdout } = await promisify(execFile)(process.execPath, words)
    t.match(stdout, /another owner took shard 0 over/)
    t.match(stdout, /half of the lanes moved to shard 1/)
    t.match(stdout, new RegExp(`^delivered ${MESSAGES} of ${MESSAGES} to ${CLIENTS} clients, repeated 0$`, 'm'))
    t.match(stdout, /^cursors rebased \d+, lost = 0, regressions = 0$/m)
    t.match(stdout, /^from producer to client: p50 [\d.]+ ms, p90 [\d.]+ ms, p99 [\d.]+ ms, max [\d.]+ ms$/m)
  })
}
