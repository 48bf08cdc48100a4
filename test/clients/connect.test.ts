// Stock clients at connect and in their first stream: ioredis and node-redis in RESP2 and RESP3, redis-cli,
// redis-benchmark.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import t from 'tap'
import { startServer } from '../support/start-server.js'

const run = promisify(execFile)

for (const protocol of [2, 3] as const) {
  t.test(`ioredis, RESP${protocol}`, async t => {
    const server = await startServer()
    t.teardown(async () => void (await server.stop()))
    const redis = new Redis({ port: server.port, host: '127.0.0.1', protocol, connectionName: 'tester' } as never)
    t.teardown(() => redis.disconnect())
    t.equal(await redis.ping(), 'PONG')
    t.equal(await redis.client('GETNAME'), 'tester')
    const id = await redis.xadd('s', '*', 'f', 'v')
    await redis.xgroup('CREATE', 's', 'g', '0')
    const read = await redis.call('XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', 's', '>')
    t.match(JSON.stringify(read), `["${id}",["f","v"]]`)
    t.equal(await redis.xack('s', 'g', id!), 1)
    t.match(await redis.info('server'), /redis_version:7\.2\.4[\s\S]*millrace_version:/)
  })

  t.test(`node-redis, RESP${protocol}`, async t => {
    const server = await startServer()
    t.teardown(async () => void (await server.stop()))
    const client = createClient({
      RESP: protocol,
      name: 'tester',
      socket: { port: server.port, host: '127.0.0.1' },
    } as never)
    await client.connect()
    t.teardown(() => client.destroy())
    t.equal(await client.ping(), 'PONG')
    const id = await client.xAdd('s', '*', { f: 'v' })
    t.same(
      (await client.xRange('s', '-', '+'))!.map(entry => ({ id: entry!.id, message: { ...entry!.message } })),
      [{ id, message: { f: 'v' } }],
    )
    t.match(await client.sendCommand(['CLIENT', 'LIST']), /name=tester .*lib-name=node-redis/)
  })

  t.test(`redis-cli, RESP${protocol}`, async t => {
    const server = await startServer()
    t.teardown(async () => void (await server.stop()))
    const cli = async (...args: string[]) =>
      (await run('redis-cli', ['-p', String(server.port), ...(protocol === 3 ? ['-3'] : []), ...args])).stdout
    t.equal(await cli('XADD', 's', '1-1', 'f', 'v'), '1-1\n')
    t.match(await cli('--no-raw', 'XRANGE', 's', '-', '+'), /1\) 1\) "1-1"/)
    t.match(await cli('--bigkeys'), /Biggest stream found '"s"' has 1 entries/)
    t.match(await cli('--memkeys'), /Biggest stream found '"s"'/)
  })
}

t.test('redis-benchmark runs its stream and string rows', async t => {
  const server = await startServer()
  t.teardown(async () => void (await server.stop()))
  const args = ['-p', String(server.port), '-n', '2000', '-c', '10', '-P', '4', '--csv']
  const { stdout } = await run('redis-benchmark', [...args, 'XADD', 's', '*', 'f', 'v'])
  t.match(stdout, /XADD s \* f v/)
  const plain = await run('redis-benchmark', [...args, '-t', 'ping,set,get,incr'])
  t.match(plain.stdout, /"SET","\d+/)
  t.match(plain.stdout, /"INCR","\d+/)
})
