// A real redis-server for tests that compare with it: own port, own temporary folder, nothing persisted.

import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RedisServer {
  readonly port: number
  /** Temporary folder of this server; removed by stop(). */
  readonly folder: string
  stop(): Promise<void>
}

const CANDIDATES = ['/usr/bin/redis-server', '/usr/local/bin/redis-server', '/opt/homebrew/bin/redis-server']
const ATTEMPTS_MAX = 5
const READY_POLLS_MAX = 500

/** Path of the reference server, or undefined when this machine has none: then skip what needs it. */
export function findRedisServer(): string | undefined {
  const named = process.env.REDIS_SERVER
  return [...(named ? [named] : []), ...CANDIDATES].find(path => existsSync(path))
}

/** Starts one with further `flags` ('--maxclients', '5'). Stop it in a teardown. */
export async function startRedisServer(flags: readonly string[] = []): Promise<RedisServer> {
  const binary = findRedisServer()
  if (binary === undefined) throw new Error('no redis-server found; name one in REDIS_SERVER')
  for (let attempt = 1; ; attempt++) {
    // Another process may take the port between our look and the server's bind: then the server exits and we try again.
    const server = await tryStart(binary, await freePort(), flags)
    if (server !== undefined) return server
    if (attempt === ATTEMPTS_MAX) throw new Error(`redis-server did not start: ${binary} ${flags.join(' ')}`)
  }
}

async function tryStart(binary: string, port: number, flags: readonly string[]): Promise<RedisServer | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-redis-'))
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no']
  const child = spawn(binary, [...args, ...flags], { stdio: 'ignore' })
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const killAtExit = (): void => void child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const stop = async (): Promise<void> => {
    process.removeListener('exit', killAtExit)
    child.kill('SIGKILL')
    if (isRunning(child)) await exited
    rmSync(folder, { recursive: true, force: true })
  }
  for (let poll = 0; poll < READY_POLLS_MAX && isRunning(child); poll++) {
    if (await answersPing(port)) return { port, folder, stop }
    await sleep(10)
  }
  await stop()
  return undefined
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

function answersPing(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
    socket.once('data', bytes => {
      resolve(bytes.toString('latin1').startsWith('+PONG'))
      socket.destroy()
    })
    socket.write('PING\r\n')
  })
}

/** A port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise<void>(resolve => probe.close(() => resolve()))
  return port
}
