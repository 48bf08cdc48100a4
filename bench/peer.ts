// The servers a row is measured on: redis-server and the built Millrace, each in a process and a folder of its own,
// with the same fsync policy; or, in place of redis-server, one that somebody runs elsewhere. Reads what a process cost
// from /proc, which nobody can do for a foreign one.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'

export type PeerName = 'redis' | 'millrace' | `${string}:${number}`
export type Fsync = 'always' | 'everysec' | 'no'

/** The built server; MILLRACE_MAIN names another build. */
const MAIN = process.env.MILLRACE_MAIN ?? join(dirname(fileURLToPath(import.meta.url)), '../dist/main.js')
const CLOCK_TICKS_PER_S = 100 // USER_HZ of Linux, the unit of /proc/<pid>/stat
const PAGE_CACHE = '64mb'

/** A peer without work left from what it was asked before uses no more than this share of a core. */
const IDLE_SHARE = 0.05
const IDLE_LOOK_MS = 300
const IDLE_WAIT_MS_MAX = 20_000

export class Peer {
  readonly dir: string
  readonly #foreign: { readonly host: string; readonly port: number } | undefined
  #child: ChildProcess | undefined
  port = 0
  constructor(
    readonly name: PeerName,
    readonly fsync: Fsync,
  ) {
    const place = /^(.+):(\d+)$/.exec(name)
    if (place !== null) this.#foreign = { host: place[1], port: Number(place[2]) }
    this.dir = mkdtempSync(join(tmpdir(), 'bench-'))
  }

  get foreign(): boolean {
    return this.#foreign !== undefined
  }

  get host(): string {
    return this.#foreign?.host ?? '127.0.0.1'
  }

  /** Starts it on its folder; resolves with the milliseconds until it answered PING. */
  async start(): Promise<number> {
    const began = performance.now()
    if (this.#foreign !== undefined) {
      this.port = this.#foreign.port
      await this.#takeForeign(this.#foreign.host)
      return performance.now() - began
    }
    this.port = await freePort()
    const common = [
      '--maxclients',
      '12000',
      '--port',
      String(this.port),
      '--bind',
      '127.0.0.1',
      '--dir',
      this.dir,
      '--appendfsync',
      this.fsync,
    ]
    const [command, args] =
      this.name === 'redis'
        ? ['redis-server', [...common, '--save', '', '--appendonly', 'yes', '--daemonize', 'no']]
        : [process.execPath, [MAIN, ...common, '--page-cache-bytes', PAGE_CACHE]]
    this.#child = spawn(command, args, { stdio: 'ignore' })
    while (!(await answer(this.host, this.port, 'PING'))?.startsWith('+PONG')) {
      if (this.#child.exitCode !== null) throw new Error(`${this.name} exited with ${this.#child.exitCode}`)
      await sleep(1)
    }
    return performance.now() - began
  }

  /** What is measured fills the server, so a foreign one must be empty, and is emptied again at the end. */
  async #takeForeign(host: string): Promise<void> {
    const size = await answer(host, this.port, 'DBSIZE')
    if (size === undefined) throw new Error(`--compare ${this.name}: nobody answers there`)
    if (!size.startsWith(':0\r')) {
      throw new Error(`--compare ${this.name}: its database must be empty and DBSIZE says ${size.trim()}`)
    }
  }

  get pid(): number {
    return this.#child!.pid!
  }

  /** Waits until what was asked before is done, such as a checkpoint or a rewrite: no row pays for its preparation. */
  async settle(): Promise<void> {
    if (this.foreign) return
    const until = performance.now() + IDLE_WAIT_MS_MAX
    for (let before = this.cpuSeconds(); performance.now() < until;) {
      await sleep(IDLE_LOOK_MS)
      const now = this.cpuSeconds()
      if ((now - before) * 1000 <= IDLE_LOOK_MS * IDLE_SHARE) return
      before = now
    }
  }

  /** User and system time of all its threads, seconds; 0 for a foreign peer. */
  cpuSeconds(): number {
    return this.foreign ? 0 : cpuSecondsOf(this.pid)
  }

  /** Anonymous resident memory in bytes; 0 for a foreign peer. */
  rssAnonBytes(): number {
    if (this.foreign) return 0
    const status = readFileSync(`/proc/${this.pid}/status`, 'latin1')
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)![1]) * 1024
  }

  diskBytes(): number {
    // A checkpoint may end a journal segment between the listing and the look at it: gone is 0 bytes.
    const blocksOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.blocks ?? 0
    return readdirSync(this.dir, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .reduce((sum, entry) => sum + blocksOf(join(entry.parentPath ?? entry.path, entry.name)) * 512, 0)
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
    if (this.foreign && this.port !== 0) await answer(this.host, this.port, 'FLUSHDB')
    // A killed redis-server leaves the child that rewrites its log writing for a moment.
    for (let attempt = 1; ; attempt++)
      try {
        return rmSync(this.dir, { recursive: true, force: true })
      } catch (err) {
        if (attempt === 50) throw err
        await sleep(100)
      }
  }
}

/** User and system time of a process, seconds. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_S
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** The first bytes of the reply to an inline command; undefined when nobody answers. */
function answer(host: string, port: number, command: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = net.connect(port, host)
    let text = ''
    socket.on('connect', () => socket.write(`${command}\r\n`))
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      if (!text.includes('\n')) return
      socket.destroy()
      resolve(text)
    })
    socket.on('error', () => resolve(undefined))
  })
}
