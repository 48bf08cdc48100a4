// A mount namespace of its own for one test: what is mounted there needs no cleaning up, it goes with the process that
// holds it. Used by: small-disk, failing-disk.

import { spawn, spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Teardown } from './temp-dir.js'

export interface MountNamespace {
  /** Of the process that holds it. */
  readonly pid: number
  /** Runs a program on the inside, see StartOptions.through. */
  readonly through: readonly string[]
  /** Runs it to its end. @throws Error with what it said when it fails */
  run(...words: string[]): void
}

/**
 * Undefined, with the reason as a comment, where the system allows no such thing.
 * @param what the test wanted it for
 * @param options of unshare
 * @param script for sh, with `folder` as $1; it prints 'mounted' when all is ready, and stays
 */
export async function mountNamespace(
  t: Teardown & { comment(text: string): void },
  what: string,
  options: readonly string[],
  script: string,
  folder: string,
): Promise<MountNamespace | undefined> {
  const words = [...options, '-m', 'sh', '-c', script, 'sh', folder]
  const holder = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'pipe'] })
  t.teardown(() => void holder.kill('SIGKILL'))
  let said = ''
  holder.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  holder.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  let gone = false
  holder.on('error', error => {
    said = error.message
    gone = true
  })
  holder.on('exit', () => (gone = true))
  while (!said.includes('mounted') && !gone) await sleep(5)
  const { pid } = holder
  if (gone || pid === undefined) {
    t.comment(`no ${what} can be had here, what needs one is left out: ${said.trim()}`)
    return undefined
  }
  const asUser = options.includes('-r') ? ['-U', '--preserve-credentials'] : []
  const through = ['nsenter', '-t', String(pid), ...asUser, '-m', '--']
  return {
    pid,
    through,
    run(...words) {
      const [program, ...rest] = [...through, ...words]
      const { status, stderr } = spawnSync(program, rest, { encoding: 'utf8' })
      if (status !== 0) throw new Error(`${words[0]}: ${stderr}`)
    },
  }
}
