// Temporary folders for tests; removed when the test ends.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The part of a tap test that cleans up. */
export interface Teardown {
  teardown(fn: () => void | Promise<void>): void
}

/** A new empty folder that goes with the test `t`. */
export function tempDir(t: Teardown, name = 'millrace'): string {
  const dir = mkdtempSync(join(tmpdir(), `${name}-`))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
