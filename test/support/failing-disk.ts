// A disk that fails for real, for one test: a file system on a loop device, whose file lies on a file system on another
// loop device. When the outer one is shut down, every block that the inner one asks for or writes back is an I/O error
// of its device, as of a drive that has died; when the inner one is shut down, its files give EIO themselves. In a
// mount namespace of its own that goes with the process that holds it. Needs the rights of root and loop devices.

import { join } from 'node:path'
import { mountNamespace } from './mount-namespace.js'
import { tempDir } from './temp-dir.js'
import type { Teardown } from './temp-dir.js'

export interface FailingDisk {
  /** A folder on it, as programs on the inside name it. */
  readonly inside: string
  /** Runs a program on the inside, see StartOptions.through. */
  readonly through: readonly string[]
  /** From now on the device answers nothing but errors. What the system holds in memory of its files is still read. */
  breakDevice(): void
  /** From now on every operation on its files is an error. */
  breakFiles(): void
  /** Makes it whole, with what had reached the device by then. Nobody may use it. */
  mend(): void
}

/** EXT4_IOC_SHUTDOWN; 2 lets nothing more reach the device, not even what a journal holds. */
const SHUTDOWN = 'my $how = pack("L", 2); open(F, "<", $ARGV[0]) && ioctl(F, 0x8004587d, $how) or die "shutdown: $!\\n"'
const MAKE = `
  set -e
  truncate -s 160m "$1/outer.image" && mkfs.ext4 -q -F "$1/outer.image"
  mkdir "$1/outer" "$1/disk" && mount -o loop "$1/outer.image" "$1/outer"
  truncate -s 96m "$1/outer/image" && mkfs.ext4 -q -F "$1/outer/image"
  mount -o loop "$1/outer/image" "$1/disk" && mkdir "$1/disk/data"
  sync -f "$1/disk" && sync -f "$1/outer"
  command -v perl > "$1/perl"
  echo mounted && exec sleep 600`
const MEND = `
  set -e
  umount "$1/disk" && umount "$1/outer"
  mount -o loop "$1/outer.image" "$1/outer" && mount -o loop "$1/outer/image" "$1/disk"`

/** Undefined, with the reason as a comment, where the system allows no such thing. */
export async function failingDisk(t: Teardown & { comment(text: string): void }): Promise<FailingDisk | undefined> {
  const folder = tempDir(t)
  const space = await mountNamespace(t, 'disk that fails', [], MAKE, folder)
  if (space === undefined) return undefined
  const { run, through } = space
  return {
    inside: join(folder, 'disk', 'data'),
    through,
    breakDevice: () => run('perl', '-e', SHUTDOWN, join(folder, 'outer')),
    breakFiles: () => run('perl', '-e', SHUTDOWN, join(folder, 'disk')),
    mend: () => run('sh', '-c', MEND, 'sh', folder),
  }
}
