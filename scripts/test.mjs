// npm test [-- file …]: builds the server, runs the test files (each a tap program in a process of its own, as many at
// a time as there are cores), and ends with a line made from the counted assertions: 'N passed, N failed'. Without
// files: every test/**/*.test.ts. A failing file's whole output is printed. Environment: TEST_TIMEOUT_S per file (300);
// the counts of the long forms are set by scripts/test-long.mjs.

import { spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Parser } from 'tap-parser'

const root = fileURLToPath(new URL('..', import.meta.url))
const TIMEOUT_MS = Number(process.env.TEST_TIMEOUT_S ?? 300) * 1000

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

/** Runs one file; a crash, a time-out or a run without an assertion counts as one failure. */
async function run(file, total) {
  const counts = { passed: 0, failed: 0, skipped: 0, names: [] }
  const began = performance.now()
  // The tap library's own time limit is off: the one here covers the whole file.
  const env = { ...process.env, TAP_TIMEOUT: '0' }
  const child = spawn(process.execPath, ['--import', 'tsx', file], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const parser = new Parser()
  watch(parser, counts, [file])
  let output = ''
  let late = false
  child.stdout.on('data', chunk => (output += chunk))
  child.stderr.on('data', chunk => (output += chunk))
  child.stdout.pipe(parser)
  const timer = setTimeout(() => {
    late = true
    child.kill('SIGKILL')
  }, TIMEOUT_MS)
  const [status] = await Promise.all([
    new Promise(resolve => child.on('close', (code, signal) => resolve(code ?? signal))),
    new Promise(resolve => parser.on('complete', resolve)),
  ])
  clearTimeout(timer)
  const fine = status === 0 && counts.failed === 0 && counts.passed + counts.skipped > 0
  if (!fine && counts.failed === 0) {
    counts.failed = 1
    counts.names.push(`${file} > ${late ? `not done after ${TIMEOUT_MS / 1000} s` : `ended with ${status}`}`)
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`${fine ? 'ok    ' : 'FAILED'} ${file}: ${counts.passed} passed, ${counts.failed} failed, ${seconds} s`)
  if (!fine) console.log(output.replace(/^/gm, '    '))
  for (const key of ['passed', 'failed', 'skipped']) total[key] += counts[key]
  total.names.push(...counts.names)
}

build()
needRedisServer()
const asked = process.argv.slice(2)
const files = asked.length > 0 ? asked : testFiles('test')
const total = { passed: 0, failed: 0, skipped: 0, names: [] }
const queue = [...files]
const lane = async () => {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) await run(file, total)
}
await Promise.all(Array.from({ length: availableParallelism() }, lane))
if (total.names.length > 0) console.log(`\nfailed:\n  ${total.names.join('\n  ')}`)
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1)
