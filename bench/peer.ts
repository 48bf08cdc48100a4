// The two servers a row is measured on: redis-server and the built Millrace, each in a process and a folder of its own,
// with the same fsync policy. Reads what a process cost from /proc.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'

export type PeerName = 'redis' | 'millrace'
export type Fsync = 'always' | 'everysec' | 'no'

/** The built server; MILLRACE_MAIN names another build. */
const MAIN = process.env.MILLRACE_MAIN ?? join(dirname(fileURLToPath(import.meta.url)), '../dist/main.js')
const CLOCK_TICKS_PER_S = 100 // USER_HZ of Linux, the unit of /proc/<pid>/stat
const PAGE_CACHE = '64mb'

export class Peer {
  readonly dir: string
  #child: ChildProcess | undefined
  port = 0
  constructor(
    readonly name: PeerName,
    readonly fsync: Fsync,
  ) {
    this.dir = mkdtempSync(join(tmpdir(), `bench-${name}-`))
  }

  /** Starts it on its folder; resolves with the milliseconds until it answered PING. */
  async start(): Promise<number> {
    this.port = await freePort()
    const common = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.dir, '--appendfsync', this.fsync]
    const [command, args] =
      this.name === 'redis'
        ? ['redis-server', [...common, '--save', '', '--appendonly', 'yes', '--daemonize', 'no']]
        : [process.execPath, [MAIN, ...common, '--page-cache-bytes', PAGE_CACHE]]
    const began = performance.now()
    this.#child = spawn(command, args, { stdio: 'ignore' })
    while (!(await answersPing(this.port))) {
      if (this.#child.exitCode !== null) throw new Error(`${this.name} exited with ${this.#child.exitCode}`)
      await sleep(1)
    }
    return performance.now() - began
  }

  get pid(): number {
    return this.#child!.pid!
  }

  /** User and system time of all its threads, seconds. */
  cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_S
  }

  /** Anonymous resident memory in bytes. */
  rssAnonBytes(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'latin1')
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)![1]) * 1024
  }

  diskBytes(): number {
    return readdirSync(this.dir, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).blocks * 512, 0)
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL')
    rmSync(this.dir, { recursive: true, force: true })
  }
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function answersPing(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = net.connect(port, '127.0.0.1')
    let text = ''
    socket.on('connect', () => socket.write('PING\r\n'))
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      if (!text.includes('\n')) return
      socket.destroy()
      resolve(text.startsWith('+PONG'))
    })
    socket.on('error', () => resolve(false))
  })
}
