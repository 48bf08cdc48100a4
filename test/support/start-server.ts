// Starts the built server (dist/main.js) as a child process on a free port with a data folder of its own.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The built server; MILLRACE_MAIN names another build. */
const MAIN = process.env.MILLRACE_MAIN ?? join(dirname(fileURLToPath(import.meta.url)), '../../dist/main.js')
const READY = /^millrace \S+ ready on \S*?:(\d+): .*$/m

export interface StartOptions {
  /** More flags, as on the command line. */
  readonly args?: readonly string[]
  /** Data folder; a new temporary one when absent. A given folder is never removed. */
  readonly dir?: string
  /** Port to ask for; 0 picks one. */
  readonly port?: number
  /** Program and arguments that run the server in their place, such as ['nsenter', …]. */
  readonly through?: readonly string[]
}

export interface RunningServer {
  readonly port: number
  readonly dir: string
  readonly pid: number
  /** The line it printed when ready. */
  readonly ready: string
  /** Everything it printed until now, both streams. */
  output(): string
  /** SIGTERM; resolves when it has exited. Removes a temporary data folder. */
  stop(): Promise<number | null>
  /** SIGKILL; resolves when it has exited. The data folder stays. */
  kill9(): Promise<void>
}

export async function startServer(options: StartOptions = {}): Promise<RunningServer> {
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'millrace-data-'))
  const args = [MAIN, '--port', String(options.port ?? 0), '--dir', dir, ...(options.args ?? [])]
  const [program, ...words] = [...(options.through ?? []), process.execPath, ...args]
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  const take = (chunk: Buffer) => (text += chunk.toString())
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  const ready = await readyLine(child, () => text)
  const exit = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
    }
  }
  return {
    port: Number(READY.exec(ready)![1]),
    dir,
    pid: child.pid!,
    ready,
    output: () => text,
    async stop() {
      await exit('SIGTERM')
      if (options.dir === undefined) rmSync(dir, { recursive: true, force: true })
      return child.exitCode
    },
    kill9: () => exit('SIGKILL'),
  }
}

async function readyLine(child: ChildProcess, text: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = READY.exec(text())
      if (found) resolve(found[0])
    }
    child.stdout!.on('data', look)
    child.on('error', reject)
    child.on('exit', code => reject(new Error(`the server exited with ${code} before it was ready:\n${text()}`)))
  })
}
