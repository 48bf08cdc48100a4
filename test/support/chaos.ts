// A server and processes that are killed at random and started again. Used by the chaos tests of the layers.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningServer } from './start-server.js'
import { startServer } from './start-server.js'
import type { Seeded } from './seeded.js'

/** A Millrace that can be killed; its port and its data stay. */
export class MortalServer {
  kills = 0
  private constructor(
    private server: RunningServer,
    private readonly args: readonly string[],
  ) {}

  static async start(dir: string, args: readonly string[] = []): Promise<MortalServer> {
    return new MortalServer(await startServer({ dir, args }), args)
  }

  get port(): number {
    return this.server.port
  }

  async killAndRestart(): Promise<void> {
    const { dir, port } = this.server
    await this.server.kill9()
    this.kills++
    this.server = await startServer({ dir, port, args: this.args })
  }

  async stop(): Promise<void> {
    await this.server.stop()
  }
}

/** Processes of one program, each started again when it was killed. */
export class MortalProcesses {
  kills = 0
  readonly #children: ChildProcess[] = []
  constructor(
    private readonly count: number,
    private readonly args: (place: number) => readonly string[],
    private readonly onMessage: (message: unknown, child: ChildProcess) => void = () => undefined,
  ) {
    for (let place = 0; place < count; place++) this.#children.push(this.#start(place))
  }

  async killOne(rng: Seeded): Promise<void> {
    const place = rng.below(this.count)
    await end(this.#children[place], 'SIGKILL')
    this.kills++
    this.#children[place] = this.#start(place)
  }

  /** Of those that live now. */
  get pids(): (number | undefined)[] {
    return this.#children.map(({ pid }) => pid)
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await Promise.all(this.#children.map(child => end(child, signal)))
  }

  #start(place: number): ChildProcess {
    const child = spawn(process.execPath, [...this.args(place)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    child.on('message', message => this.onMessage(message, child))
    return child
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}

/**
 * Kills each time `progress` has come a step further, so that a slow machine is not killed to a standstill: processes
 * at random, and at every fifth step the server. Ends when `progress` has reached `total`, or answers -1.
 */
export async function havoc(
  rng: Seeded,
  server: MortalServer,
  processes: MortalProcesses,
  total: number,
  steps: number,
  progress: () => Promise<number>,
): Promise<void> {
  for (let step = 1; step < steps;) {
    const at = await progress().catch(() => 0)
    if (at >= total || at < 0) return
    if (at < (step * total) / steps) {
      await sleep(20)
      continue
    }
    if (step++ % 5 === 0) await server.killAndRestart()
    else await processes.killOne(rng)
  }
}
