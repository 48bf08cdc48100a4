import t from 'tap'
import { startInProcess } from '../support/in-process.js'
import { tempDir } from '../support/temp-dir.js'

t.test('a reload brings back directory and journal, and the node limits stay as configured', async t => {
  const { connect, server } = await startInProcess(t, tempDir(t), { streamNodeMaxEntries: 10 })
  const client = await connect()
  await client.command('SET', 'saved', 'v')
  await client.command('SAVE')
  for (let i = 1; i <= 100; i++) await client.command('XADD', 's', `${i}-1`, 'f', 'v')
  await client.command('CONFIG', 'SET', 'stream-node-max-entries', '7')
  await client.command('SET', 'short', 'v', 'PX', '1')
  t.equal(await client.text('DEBUG', 'LOADAOF'), '+OK\r\n')
  t.ok(server.replayedRecords >= 100, `${server.replayedRecords} records`)
  t.equal(await client.text('XLEN', 's'), ':100\r\n')
  t.equal(await client.text('GET', 'saved'), '$1\r\nv\r\n')
  t.match(await client.text('CONFIG', 'GET', 'stream-node-max-entries'), /\$1\r\n7\r\n/)
  await new Promise(resolve => setTimeout(resolve, 5))
  t.equal(await client.text('GET', 'short'), '$-1\r\n', 'what expired meanwhile goes when it is met')
})
