import { Redis } from 'ioredis'
import t from 'tap'
import { runWorkerCommand } from '../../src/worker/worker-command.js'
import { startRedisServer } from '../support/redis-server.js'
import { startServer } from '../support/start-server.js'

async function run(...argv: string[]): Promise<{ status: number; out: string }> {
  let out = ''
  const status = await runWorkerCommand(argv, { out: text => (out += text), err: () => undefined })
  return { status, out }
}

for (const name of ['redis-server', 'Millrace'] as const) {
  t.test(`the table and its JSON on ${name}`, async t => {
    const server =
      name === 'Millrace' ? await startServer({ args: ['--stream-capacity', 'yes'] }) : await startRedisServer()
    t.teardown(async () => void (await server.stop()))
    const port = String(server.port)
    const redis = new Redis(server.port, '127.0.0.1')
    t.teardown(() => redis.disconnect())
    await redis.set('other', 'no stream')
    for (let i = 0; i < 5; i++) await redis.xadd('jobs', '*', 'n', i)
    await redis.xgroup('CREATE', 'jobs', 'workers', '0')
    await redis.xreadgroup('GROUP', 'workers', 'ann', 'COUNT', 3, 'STREAMS', 'jobs', '>')
    const table = await run('--port', port, '--count', '1')
    t.equal(table.status, 0)
    t.match(table.out, /^STREAM +GROUP +CONSUMER/)
    t.match(table.out, /^jobs +workers +1 +5 +2 +3 /m)
    t.match(table.out, /^ +ann +3 /m)
    const json = await run('--port', port, '-n', '2', '-i', '0.01', '--json', 'jobs', 'other', 'none')
    const looks = json.out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    t.equal(looks.length, 2)
    t.equal(looks[1].streams.length, 1, 'what is no stream is left out')
    t.match(looks[1].streams[0], { stream: 'jobs', length: 5, groups: [{ name: 'workers', pending: 3, lag: 2 }] })
    t.equal(looks[1].streams[0].capacity !== undefined, name === 'Millrace', 'bytes where the server tells them')
    t.match(looks[1].rates, { 'jobs workers': { deliveredPerS: 0, acknowledgedPerS: 0 } })
  })
}

t.test('wrong arguments and silent servers are told in words', async t => {
  await t.rejects(run('--nonsense'), { name: 'UsageError', message: /unknown option '--nonsense'/ })
  await t.rejects(run('--interval', 'soon'), { name: 'UsageError', message: /--interval is a number/ })
  await t.rejects(run('--port', '1', '-n', '1'), { name: 'UsageError', message: /did not answer/ })
  t.match((await run('--help')).out, /Usage: millrace worker/)
})
