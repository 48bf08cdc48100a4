// npm run build:debug [-- test file …]: builds the addon with AddressSanitizer into native/build/Debug and runs tests
// on it: those named, or all of test/native. Linux with g++ only. FUZZ_RUNS and LEAK_CALLS make the Lua tests longer.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const gyp = createRequire(import.meta.url).resolve('node-gyp/bin/node-gyp.js')
const args = [gyp, 'configure', 'build', '--debug', '--directory=native']
const nodeRoot = join(dirname(process.execPath), '..')
if (existsSync(join(nodeRoot, 'include', 'node', 'node_api.h'))) args.push(`--nodedir=${nodeRoot}`)
const built = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
if (built.status !== 0) {
  console.error(built.stdout + built.stderr)
  console.error('build:debug: the addon could not be built; the reason is above')
  process.exit(1)
}

// Node itself is not built with the sanitizer, so its library comes first. What Node holds at its end is no leak here.
const library = spawnSync('g++', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).stdout.trim()
const env = {
  ...process.env,
  LD_PRELOAD: library,
  ASAN_OPTIONS: 'detect_leaks=0:abort_on_error=1',
  MILLRACE_ADDON: 'Debug',
}
const named = process.argv.slice(2)
const tests = readdirSync(join(root, 'test/native')).filter(name => name.endsWith('.test.ts'))
let failed = 0
for (const test of named.length > 0 ? named : tests.map(name => `test/native/${name}`)) {
  const run = spawnSync(process.execPath, ['--import', 'tsx', test], {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const counts = run.stdout.trim().split('\n').at(-2) ?? ''
  console.log(`${test}: ${run.status === 0 ? 'ok' : `failed (${run.signal ?? run.status})`} ${counts}`)
  if (run.status === 0) continue
  failed++
  console.error(run.stdout.slice(-4000) + run.stderr.slice(-8000))
}
process.exit(failed === 0 ? 0 : 1)
