import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { CorruptionError, UsageError } from '../src/base/errors.js'
import { startServer } from '../src/index.js'
import { segmentEnd } from '../src/store/journal-segment.js'
import { startInProcess } from './support/in-process.js'
import { RespClient } from './support/resp-client.js'
import { segmentsIn } from './store/journal-fixture.js'
import { tempDir } from './support/temp-dir.js'

t.test('commands of all families answer over TCP, also when they come in one piece', async t => {
  const { connect } = await startInProcess(t, tempDir(t))
  const client = await connect()
  t.equal(await client.text('PING'), '+PONG\r\n')
  t.equal(await client.text('SET', 'k', 'v'), '+OK\r\n')
  t.equal(await client.text('GET', 'k'), '$1\r\nv\r\n')
  t.equal(await client.text('XADD', 's', '1-1', 'f', 'v'), '$3\r\n1-1\r\n')
  t.equal(await client.text('XRANGE', 's', '-', '+'), '*1\r\n*2\r\n$3\r\n1-1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n')
  client.send('PING\r\nGET k\r\nNOPE\r\n')
  t.equal((await client.reply()).toString(), '+PONG\r\n')
  t.equal((await client.reply()).toString(), '$1\r\nv\r\n')
  t.match((await client.reply()).toString(), /^-ERR unknown command 'NOPE'/)
})

t.test(
  'what was answered is there after a restart, out of the journal alone or out of the last checkpoint',
  async t => {
    const dir = tempDir(t)
    const first = await startInProcess(t, dir)
    const client = await first.connect()
    await client.command('XADD', 's', '1-1', 'f', 'v')
    await client.command('SET', 'k', 'v', 'PX', '100000000')
    await client.command('MULTI')
    await client.command('SELECT', '3')
    await client.command('SET', 'other', 'db')
    t.equal(await client.text('EXEC'), '*2\r\n+OK\r\n+OK\r\n')
    // Without the last checkpoint all of it must come from the journal.
    await first.server.close({ save: false })
    t.same(first.stopped, [0])

    const second = await startInProcess(t, dir)
    t.ok(second.server.replayedRecords >= 3, `${second.server.replayedRecords} records were replayed`)
    const again = await second.connect()
    t.equal(await again.text('XLEN', 's'), ':1\r\n')
    t.equal(await again.text('GET', 'k'), '$1\r\nv\r\n')
    t.match(await again.text('PTTL', 'k'), /^:\d{7,8}\r\n$/)
    await again.command('SELECT', '3')
    t.equal(await again.text('GET', 'other'), '$2\r\ndb\r\n')
    await second.server.close()

    const third = await startInProcess(t, dir)
    t.equal(third.server.replayedRecords, 0, 'the last checkpoint holds everything')
    t.equal(await (await third.connect()).text('XLEN', 's'), ':1\r\n')
  },
)

t.test('node limits of the time are used at replay, and the configured ones afterwards', async t => {
  const dir = tempDir(t)
  const first = await startInProcess(t, dir, { streamNodeMaxEntries: 10 })
  const client = await first.connect()
  for (let i = 1; i <= 50; i++) await client.command('XADD', 's', `${i}-1`, 'f', 'v')
  await client.command('CONFIG', 'SET', 'stream-node-max-entries', '5')
  for (let i = 51; i <= 100; i++) await client.command('XADD', 's', `${i}-1`, 'f', 'v')
  const info = await client.text('XINFO', 'STREAM', 's')
  await first.server.close({ save: false })
  const second = await startInProcess(t, dir)
  const again = await second.connect()
  t.equal(await again.text('XINFO', 'STREAM', 's'), info)
  t.match(await again.text('CONFIG', 'GET', 'stream-node-max-entries'), /\$3\r\n100\r\n/)
})

t.test('in always every reply waits for the sync, in order', async t => {
  const { connect } = await startInProcess(t, tempDir(t), { appendfsync: 'always' })
  const client = await connect()
  const words = Array.from({ length: 100 }, (_, i) => `SET k${i} ${i}\r\nGET k${i}\r\n`)
  client.send(words.join(''))
  for (let i = 0; i < 100; i++) {
    t.equal((await client.reply()).toString(), '+OK\r\n')
    t.equal((await client.reply()).toString(), `$${String(i).length}\r\n${i}\r\n`)
  }
})

t.test('a blocked reader is woken by another client, also out of a transaction', async t => {
  const { connect } = await startInProcess(t, tempDir(t))
  const [reader, writer] = [await connect(), await connect()]
  reader.send('XREAD BLOCK 0 STREAMS s $\r\nPING\r\n')
  while ((await writer.text('INFO', 'clients')).includes('blocked_clients:0')) continue
  await writer.command('MULTI')
  await writer.command('XADD', 's', '5-1', 'f', 'v')
  await writer.command('EXEC')
  t.equal(
    (await reader.reply()).toString(),
    '*1\r\n*2\r\n$1\r\ns\r\n*1\r\n*2\r\n$3\r\n5-1\r\n*2\r\n$1\r\nf\r\n$1\r\nv\r\n',
  )
  t.equal((await reader.reply()).toString(), '+PONG\r\n')
})

t.test('EXEC runs nothing after a watched key expired', async t => {
  const { connect } = await startInProcess(t, tempDir(t))
  const client = await connect()
  await client.command('SET', 'k', 'v', 'PX', '20')
  await client.command('WATCH', 'k')
  await new Promise(resolve => setTimeout(resolve, 40))
  await client.command('MULTI')
  await client.command('PING')
  t.equal(await client.text('EXEC'), '*-1\r\n')
})

t.test('FLUSHALL and SWAPDB break a WATCH of keys that changed by them', async t => {
  const { connect } = await startInProcess(t, tempDir(t))
  const client = await connect()
  const attempt = async (...change: string[]) => {
    await client.command('SET', 'k', 'v')
    await client.command('WATCH', 'k', 'absent')
    await client.command(...change)
    await client.command('MULTI')
    return client.text('EXEC')
  }
  t.equal(await attempt('PING'), '*0\r\n')
  t.equal(await attempt('FLUSHALL'), '*-1\r\n')
  t.equal(await attempt('SWAPDB', '0', '1'), '*-1\r\n')
  t.equal(await attempt('SWAPDB', '2', '3'), '*0\r\n')
})

t.test('expired keys are removed without being asked for, and stay away after a restart', async t => {
  const dir = tempDir(t)
  const first = await startInProcess(t, dir, { hz: 100 })
  const client = await first.connect()
  for (let i = 0; i < 200; i++) await client.command('SET', `k${i}`, 'v', 'PX', '1')
  while (!(await client.text('DBSIZE')).startsWith(':0')) await new Promise(resolve => setTimeout(resolve, 10))
  t.match(await client.text('INFO', 'stats'), /expired_keys:200\r\n/)
  await first.server.close({ save: false })
  const second = await startInProcess(t, dir)
  t.equal(await (await second.connect()).text('DBSIZE'), ':0\r\n')
})

t.test('CLIENT PAUSE holds everybody back for its time', async t => {
  const { connect } = await startInProcess(t, tempDir(t))
  const [client, other] = [await connect(), await connect()]
  await client.command('CLIENT', 'PAUSE', '30', 'WRITE')
  other.send('SET k v\r\n')
  t.equal(await client.text('GET', 'k'), '$-1\r\n')
  t.equal((await other.reply()).toString(), '+OK\r\n')
})

t.test('DEBUG RELOAD brings everything back, and others only wait', async t => {
  const { connect } = await startInProcess(t, tempDir(t))
  const [client, other] = [await connect(), await connect()]
  await client.command('SET', 'k', 'v')
  await client.command('XADD', 's', '1-1', 'f', 'v')
  const reload = client.text('DEBUG', 'RELOAD')
  const get = other.text('GET', 'k')
  t.equal(await reload, '+OK\r\n')
  t.equal(await get, '$1\r\nv\r\n')
  t.equal(await client.text('XLEN', 's'), ':1\r\n')
  t.equal(await client.text('SET', 'k', 'w'), '+OK\r\n')
  t.equal(await client.text('DEBUG', 'LOADAOF'), '+OK\r\n')
  t.equal(await client.text('GET', 'k'), '$1\r\nw\r\n')
})

t.test('CONFIG SET port moves the server; clients stay', async t => {
  const { server, port, connect } = await startInProcess(t, tempDir(t))
  const client = await connect()
  const probe = await startInProcess(t, tempDir(t))
  await probe.server.close()
  t.equal(await client.text('CONFIG', 'SET', 'port', String(probe.port)), '+OK\r\n')
  t.equal(server.tcpPort, probe.port)
  t.equal(await client.text('PING'), '+PONG\r\n')
  t.equal(await (await connect()).text('PING'), '+PONG\r\n')
  await t.rejects(RespClient.connect(port))
})

t.test('a password keeps out who does not know it', async t => {
  const { connect } = await startInProcess(t, tempDir(t), { requirepass: 'secret' })
  const client = await connect()
  t.equal(await client.text('GET', 'k'), '-NOAUTH Authentication required.\r\n')
  t.equal(await client.text('AUTH', 'secret'), '+OK\r\n')
  t.equal(await client.text('GET', 'k'), '$-1\r\n')
})

t.test('maxmemory refuses what needs memory, and says so until there is some', async t => {
  const { connect } = await startInProcess(t, tempDir(t))
  const client = await connect()
  await client.command('CONFIG', 'SET', 'maxmemory', '1')
  t.match(await client.text('SET', 'k', 'v'), /^-OOM command not allowed/)
  t.equal(await client.text('GET', 'k'), '$-1\r\n')
  await client.command('CONFIG', 'SET', 'maxmemory', '0')
  t.equal(await client.text('SET', 'k', 'v'), '+OK\r\n')
})

t.test('a client that does not read is closed above its output limit', async t => {
  const limit = { hardBytes: 1_000_000, softBytes: 0, softSeconds: 0 }
  const { connect, lines } = await startInProcess(t, tempDir(t), {
    clientOutputBufferLimit: { normal: limit, replica: limit, pubsub: limit },
  })
  const [client, other] = [await connect(), await connect()]
  await other.command('SET', 'big', Buffer.alloc(1_000_000))
  client.socket.pause()
  client.send('GET big\r\n'.repeat(30))
  while (!(await other.text('CLIENT', 'LIST')).match(/^[^\n]*\n[^\n]*\n\r\n$/)) {
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  t.ok(lines.some(line => line.includes('closed for overcoming of output buffer limits')))
})

t.test('SHUTDOWN sends the replies that are due, then ends', async t => {
  const dir = tempDir(t)
  const { connect, stopped, server } = await startInProcess(t, dir)
  const client = await connect()
  client.send('SET k v\r\nSHUTDOWN NOSAVE\r\n')
  t.equal((await client.closed()).toString(), '+OK\r\n')
  await server.close()
  t.same(stopped, [0])
  const again = await startInProcess(t, dir)
  t.equal(await (await again.connect()).text('GET', 'k'), '$1\r\nv\r\n')
})

t.test('a folder that is in use, and a port that is taken, are refused with one sentence', async t => {
  const dir = tempDir(t)
  const { port } = await startInProcess(t, dir)
  await t.rejects(startInProcess(t, dir), UsageError)
  await t.rejects(startInProcess(t, tempDir(t), { port }), UsageError)
})

t.test('a journal with damage inside is refused, a torn tail is cut with a warning', async t => {
  const dir = tempDir(t)
  const first = await startInProcess(t, dir)
  const client = await first.connect()
  for (let i = 0; i < 20; i++) await client.command('SET', `k${i}`, 'v'.repeat(100))
  await first.server.close({ save: false })
  const folder = join(dir, 'journal')
  const file = join(folder, segmentsIn(folder)[0])
  // Behind the records there is room for the next ones.
  truncateSync(file, segmentEnd(readFileSync(file)) - 3)
  const second = await startInProcess(t, dir)
  t.equal(await (await second.connect()).text('DBSIZE'), ':19\r\n')
  t.ok(second.lines.some(line => /torn|cut/i.test(line)))
  await second.server.close({ save: false })
  const fd = openSync(file, 'r+')
  writeSync(fd, Buffer.from('XXXX'), 0, 4, 300)
  closeSync(fd)
  await t.rejects(startInProcess(t, dir), CorruptionError)
})

t.test('a server can be embedded', async t => {
  const server = await startServer({ port: 0, bind: ['127.0.0.1'], dir: tempDir(t) })
  const client = await RespClient.connect(server.port)
  t.equal(await client.text('PING'), '+PONG\r\n')
  client.close()
  await server.close()
})

t.test('while the data are loaded clients are told so, and what needs none of them works as in Redis', async t => {
  const dir = tempDir(t)
  const first = await startInProcess(t, dir)
  const client = await first.connect()
  for (let i = 0; i < 300; i++) await client.command('SET', `k${i}`, 'v')
  await client.command('SET', 'gone', 'v', 'PX', '1')
  await client.command('SAVE')
  for (let i = 0; i < 700; i++) await client.command('XADD', 's', '*', 'f', 'v')
  await first.server.close({ save: false })

  const LOADING = '-LOADING Redis is loading the dataset in memory\r\n'
  let early: RespClient | undefined
  const second = await startInProcess(t, dir, {}, async server => {
    early = await RespClient.connect(server.tcpPort)
    for (const words of [
      ['PING'],
      ['GET', 'k1'],
      ['XADD', 's', '*', 'f', 'v'],
      ['DBSIZE'],
      ['SAVE'],
      ['EVAL', '1', '0'],
    ]) {
      t.equal(await early.text(...words), LOADING, words.join(' '))
    }
    t.match(await early.text('DEBUG', 'RELOAD'), /^-ERR .*LOADING/)
    t.equal(await early.text('SELECT', '0'), '+OK\r\n')
    t.equal(await early.text('WATCH', 'gone'), '+OK\r\n', 'an expired key is only looked at')
    t.equal(await early.text('MULTI'), '+OK\r\n')
    t.equal(await early.text('PUBLISH', 'c', 'm'), '+QUEUED\r\n')
    t.equal(await early.text('EXEC'), '*1\r\n:0\r\n')
    t.equal(await early.text('CONFIG', 'SET', 'appendfsync', 'always'), '+OK\r\n')
    const info = await early.text('INFO', 'persistence')
    t.match(info, /\r\nloading:1\r\n/)
  })
  const again = early!
  t.equal(await again.text('DBSIZE'), ':301\r\n')
  t.equal(await again.text('XLEN', 's'), ':700\r\n')
  t.equal(await again.text('XADD', 's', '*', 'f', 'v').then(text => text.slice(0, 1)), '$')
  const info = await again.text('INFO', 'persistence')
  t.match(info, /\r\nloading:0\r\n/)
  t.notMatch(info, /loading_total_bytes/)
  t.equal(second.server.replayedRecords >= 700, true)
  again.close()
})

t.test('a server that is told to end while it loads leaves its data as they were', async t => {
  const dir = tempDir(t)
  const first = await startInProcess(t, dir)
  const client = await first.connect()
  for (let i = 0; i < 500; i++) await client.command('XADD', 's', '*', 'f', 'v')
  await first.server.close({ save: false })
  await t.rejects(
    startInProcess(t, dir, {}, server => {
      server.shutdown({ save: true, now: false, force: false })
    }),
    { message: /told to end while it was loading/ },
  )
  const third = await startInProcess(t, dir)
  t.equal(await (await third.connect()).text('XLEN', 's'), ':500\r\n')
})
