// npm test [-- file …]: builds the server, runs the test files with tap, two at a time, and ends with a line made from
// the counted assertions: 'N passed, N failed'. Without files: every test/**/*.test.ts that is not for `npm run
// test:long`. Environment: LONG=1 runs the long forms of the tests (see scripts/test-long.mjs).

import { spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Parser } from 'tap-parser'

const root = fileURLToPath(new URL('..', import.meta.url))

function testFiles(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map(entry => join(entry.parentPath ?? entry.path, entry.name).slice(root.length))
    .sort()
}

function build() {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const built = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
  if (built.status !== 0) {
    console.error('test: the build failed, so no test was run')
    process.exit(1)
  }
}

function needRedisServer() {
  if (spawnSync('redis-server', ['--version']).status === 0) return
  console.error('test: redis-server (7.x) is missing; install it (Debian: apt-get install redis-server) and run again')
  process.exit(1)
}

/** Counts leaf assertions of a TAP stream, nested ones included, and names the failed ones. */
function watch(parser, counts, path) {
  parser.on('child', child => watch(child, counts, [...path, child.name]))
  parser.on('assert', result => {
    if (result.skip || result.todo) counts.skipped++
    else if (result.ok) counts.passed++
    else counts.failed++
    if (!result.ok && !result.todo) counts.names.push([...path, result.name].filter(Boolean).join(' > '))
  })
  parser.on('bailout', reason => counts.names.push(`bail out: ${reason}`))
}

build()
needRedisServer()
const asked = process.argv.slice(2)
const files = asked.length > 0 ? asked : testFiles('test')
const tap = join(root, 'node_modules/tap/dist/esm/run.mjs')
const counts = { passed: 0, failed: 0, skipped: 0, names: [] }
const child = spawn(process.execPath, [tap, 'run', '--reporter=tap', ...files], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const parser = new Parser()
watch(parser, counts, [])
child.stdout.pipe(parser)
child.stdout.pipe(process.stdout)
const [status] = await Promise.all([
  new Promise(resolve => child.on('exit', (code, signal) => resolve(code ?? signal))),
  new Promise(resolve => parser.on('complete', resolve)),
])
if (counts.names.length > 0) console.log(`\nfailed:\n  ${counts.names.join('\n  ')}`)
if (status !== 0 && counts.failed === 0) counts.failed = 1
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exit(status === 0 && counts.failed === 0 && counts.passed > 0 ? 0 : 1)
