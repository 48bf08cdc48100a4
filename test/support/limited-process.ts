// Runs a script in a process that may have 600 MB of memory of its own, what Node and tsx take (some 150) included.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Test } from 'tap'

const DATA_BYTES = 600_000_000
const ROOT = join(import.meta.dirname, '../..')

/**
 * What the script wrote. It imports by `load('src/…')`.
 * @returns undefined, with a comment, where the system cannot limit memory
 */
export function outputOfLimited(t: Test, script: string): string | undefined {
  const limit = `--data=${DATA_BYTES}`
  if (spawnSync('prlimit', [limit, 'true']).status !== 0) {
    t.comment('prlimit cannot limit memory here: left out')
    return undefined
  }
  const text = `const load = path => import(${JSON.stringify(`${ROOT}/`)} + path)\n${script}`
  const args = [limit, process.execPath, '--import', 'tsx', '--input-type=module', '-e', text]
  const child = spawnSync('prlimit', args, { encoding: 'utf8', cwd: ROOT })
  t.equal(child.status, 0, child.stderr)
  return child.stdout
}
