// A file system of a few megabytes for one test: a tmpfs in a mount namespace of its own, so that it needs no rights
// outside and goes with the process that holds it. The test reaches it from outside through /proc.

import { statfsSync, writeFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { mountNamespace } from './mount-namespace.js'
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
  const options = process.getuid?.() === 0 ? [] : ['-r']
  const script = `mount -t tmpfs -o size=${megabytes}m tmpfs "$1" && echo mounted && exec sleep 600`
  const space = await mountNamespace(t, 'small disk', options, script, inside)
  if (space === undefined) return undefined
  const { through } = space
  const outside = join(`/proc/${space.pid}/root`, inside)
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
    remount: mountOptions => space.run('mount', '-o', `remount,${mountOptions}`, inside),
  }
}
