import t from 'tap'
import { Redis } from 'ioredis'
import { createLog, MILLRACE_VERSION, startServer, UsageError } from '../src/index.js'
import { tempDir } from './support/temp-dir.js'

t.test('a server inside the process: clients connect, and its folder is free after close()', async t => {
  const dir = tempDir(t)
  const lines: string[] = []
  const log = createLog('debug', { write: line => void lines.push(line) })
  const server = await startServer({ port: 0, dir, log })
  const redis = new Redis(server.port)
  t.equal(await redis.set('k', 'v'), 'OK')
  t.match(await redis.info('server'), `millrace_version:${MILLRACE_VERSION}`)
  await t.rejects(startServer({ port: 0, dir }), UsageError)
  redis.disconnect()
  await server.close()
  t.ok(lines.length > 0, 'the log goes where it was told to')
  const again = await startServer({ port: 0, dir, appendfsync: 'always' })
  const reader = new Redis(again.port)
  t.equal(await reader.get('k'), 'v')
  reader.disconnect()
  await again.close({ save: false })
})

t.test('whoever embeds it hears that SHUTDOWN ended it', async t => {
  let stopped: (code: number) => void = () => undefined
  const over = new Promise<number>(resolve => (stopped = resolve))
  const server = await startServer({ port: 0, dir: tempDir(t), onStopped: code => stopped(code) })
  const redis = new Redis(server.port, { retryStrategy: () => null })
  redis.on('error', () => undefined)
  redis.call('SHUTDOWN', 'NOSAVE').catch(() => undefined)
  t.equal(await over, 0)
  redis.disconnect()
})
