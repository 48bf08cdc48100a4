// The command line, as processes: needs the build (dist/).

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { RespClient } from './support/resp-client.js'
import { startServer } from './support/start-server.js'
import { tempDir } from './support/temp-dir.js'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))

/** Runs a command line that is expected to fail. */
function refused(...args: string[]): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', timeout: 60_000 })
  return { status, stderr }
}

t.test('it says in one line where it listens, what it loaded and how durable it is', async t => {
  const dir = tempDir(t)
  const first = await startServer({ dir })
  t.match(
    first.ready,
    /^millrace \d+\.\d+\.\d+ ready on 127\.0\.0\.1:\d+: 0 keys loaded in \d+ ms, appendfsync everysec$/,
  )
  t.match(first.output(), new RegExp(` PID: ${first.pid}\\b`))
  t.match(first.output(), /Ready to accept connections/)
  const client = await RespClient.connect(first.port)
  await client.command('SET', 'k', 'v')
  client.close()
  t.equal(await first.stop(), 0)
  const second = await startServer({ dir, args: ['--appendfsync', 'always'] })
  t.match(second.ready, /: 1 keys? loaded in \d+ ms, appendfsync always$/)
  await second.stop()
})

t.test('what was answered survives kill -9', async t => {
  const dir = tempDir(t)
  const first = await startServer({ dir })
  const client = await RespClient.connect(first.port)
  for (let i = 1; i <= 100; i++) await client.command('XADD', 's', `${i}-0`, 'f', 'v')
  await first.kill9()
  client.close()
  const second = await startServer({ dir })
  const again = await RespClient.connect(second.port)
  t.equal(await again.text('XLEN', 's'), ':100\r\n')
  again.close()
  await second.stop()
})

t.test('what cannot be is refused with one sentence and exit status 1', async t => {
  const dir = tempDir(t)
  const running = await startServer({ dir })
  const taken = refused('--port', String(running.port), '--dir', tempDir(t))
  t.equal(taken.status, 1)
  t.match(taken.stderr, /^millrace: cannot listen on [^\n]*\n$/)
  const locked = refused('--port', '0', '--dir', dir)
  t.equal(locked.status, 1)
  t.match(locked.stderr, /^millrace: [^\n]*in use[^\n]*\n$/)
  await running.stop()
  const flag = refused('--no-such-flag', '1')
  t.equal(flag.status, 1)
  t.match(flag.stderr, /^millrace: [^\n]*no-such-flag[^\n]*\n$/)
  const file = join(dir, 'bad.conf')
  writeFileSync(file, 'port 0\nport many\n')
  const line = refused(file)
  t.equal(line.status, 1)
  t.match(line.stderr, /^millrace: [^\n]*bad\.conf[^\n]*port[^\n]*\n$/)
})

t.test('--version and --help print and end', async t => {
  t.match(execFileSync(process.execPath, [MAIN, '--version'], { encoding: 'utf8' }), /^millrace \d+\.\d+\.\d+\n$/)
  t.match(execFileSync(process.execPath, [MAIN, '--help'], { encoding: 'utf8' }), /^Usage: millrace /)
})

t.test('the process id file, the log file and the Unix socket are where they were asked for', async t => {
  const dir = tempDir(t)
  const [pidFile, logFile, socket] = ['pid', 'log', 'socket'].map(name => join(dir, name))
  const args = ['--pidfile', pidFile, '--logfile', logFile, '--unixsocket', socket]
  const server = await startServer({ dir: join(dir, 'data'), args })
  t.equal(readFileSync(pidFile, 'utf8'), `${server.pid}\n`)
  t.match(readFileSync(logFile, 'utf8'), /Ready to accept connections/)
  const client = await RespClient.connect(0, { path: socket })
  t.equal(await client.text('PING'), '+PONG\r\n')
  client.close()
  await server.stop()
  t.notOk(existsSync(pidFile))
})

t.test('a second SIGINT ends it at once', async t => {
  const dir = tempDir(t)
  const child = spawn(process.execPath, [MAIN, '--port', '0', '--dir', dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => void child.kill('SIGKILL'))
  await new Promise<void>(resolve => {
    child.stdout.on('data', (text: Buffer) => {
      if (text.includes(' ready on ')) resolve()
    })
  })
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  child.kill('SIGINT')
  const [code] = (await exited) as [number | null]
  t.ok(code === 0 || code === 1, `exit status ${code}`)
})
