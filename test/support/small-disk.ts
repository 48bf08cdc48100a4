// A file system of a few megabytes for one test: a tmpfs in a mount namespace of its own, so that it needs no rights
// outside and goes with the process that holds it. The test reaches it from outside through /proc.

import { spawn, spawnSync } from 'node:child_process'
import { statfsSync, writeFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tempDir } from './temp-dir.js'
import type { Teardown } from './temp-dir.js'

export interface SmallDisk {
  /** The folder as programs on the inside name it. */
  readonly inside: string
  /** The same as the test names it. */
  readonly outside: string
  /** Runs a program on the inside, see StartOptions.through. */
  readonly through: readonly string[]
  /** Leaves `bytes` free by a file of its own; `release()` removes that. */
  fill(bytes: number): void
  release(): void
  /** Mounts it again with these options: 'ro', 'size=40m'. */
  remount(options: string): void
}

/**
 * Undefined, with the reason as a comment, where the system allows no such thing.
 * @param inside the folder that it is mounted on
 */
export async function smallDisk(
  t: Teardown & { comment(text: string): void },
  megabytes: number,
  inside = tempDir(t),
): Promise<SmallDisk | undefined> {
  const root = process.getuid?.() === 0
  const script = `mount -t tmpfs -o size=${megabytes}m tmpfs "$1" && echo mounted && exec sleep 600`
  const words = [...(root ? [] : ['-r']), '-m', 'sh', '-c', script, 'sh', inside]
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
  if (gone) {
    t.comment(`no small disk can be had here, what needs one is left out: ${said.trim()}`)
    return undefined
  }
  const through = ['nsenter', '-t', String(holder.pid), ...(root ? [] : ['-U', '--preserve-credentials']), '-m', '--']
  const outside = join(`/proc/${holder.pid}/root`, inside)
  const filler = join(outside, 'filler')
  return {
    inside,
    outside,
    through,
    fill(bytes) {
      const { bavail, bsize } = statfsSync(outside)
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - bytes)))
    },
    release: () => rmSync(filler),
    remount(options) {
      const [program, ...rest] = [...through, 'mount', '-o', `remount,${options}`, inside]
      const run = spawnSync(program, rest, { encoding: 'utf8' })
      if (run.status !== 0) throw new Error(`remount: ${run.stderr}`)
    },
  }
}
