// Runs the first program of a document, as it stands, the way a reader would.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT, textOf } from './sources.js'

/** The first block of JavaScript in `path`, run by node with `args`; it imports this package by its name. */
export async function runProgramOf(path: string, args: readonly string[]): Promise<{ stdout: string; lines: number }> {
  const program = /^```js\n([\s\S]*?)^```$/m.exec(textOf(path))?.[1]
  if (program === undefined) throw new Error(`${path} holds no program`)
  // A package knows itself by its name only from inside its own folder.
  const folder = mkdtempSync(join(ROOT, 'dist/program-'))
  try {
    const file = join(folder, 'program.mjs')
    writeFileSync(file, program)
    const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], { timeout: 60_000 })
    return { stdout, lines: program.split('\n').filter(line => line !== '').length }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
