import t from 'tap'
import { startInProcess } from '../support/in-process.js'
import { tempDir } from '../support/temp-dir.js'

t.test('CONFIG SET reaches the parts at once', async t => {
  const { connect, server } = await startInProcess(t, tempDir(t))
  const client = await connect()
  await client.command('CONFIG', 'SET', 'slowlog-log-slower-than', '0', 'slowlog-max-len', '2')
  for (let i = 0; i < 5; i++) await client.command('SET', `k${i}`, 'v')
  t.equal(await client.text('SLOWLOG', 'LEN'), ':2\r\n')
  await client.command('CONFIG', 'SET', 'latency-tracking', 'no', 'loglevel', 'warning')
  t.equal(server.log.level, 'warning')
  await client.command('CONFIG', 'SET', 'proto-max-bulk-len', '1048576')
  t.match(await client.text('SET', 'k', 'x'.repeat(1048577)), /^-ERR Protocol error: invalid bulk length/)
})

t.test('CONFIG SET of durability and cache reaches the store', async t => {
  const { connect, server } = await startInProcess(t, tempDir(t))
  const client = await connect()
  await client.command('CONFIG', 'SET', 'appendfsync', 'always', 'page-cache-bytes', '8388608')
  await client.command('SET', 'k', 'v')
  t.equal((server.durability as unknown as { fsync: string }).fsync, 'always')
  t.equal((server.durability as unknown as { cache: { bytesMax: number } }).cache.bytesMax, 8388608)
})
