// Runs the Tcl suite of Redis 7.0.15 against a built server: node test/conformance/run.mjs [--spawn] [unit/file …]
// The suite is Debian's source package, fetched and driven by suite.sh (SUITE names it; ../shared/tools/suite.sh beside
// the checkout else). With --spawn it starts our servers itself, through `launcher`. Every test that redis-server
// 7.0.15 passes must pass here, but for those named in expected-misses.txt (expected-misses.spawn.txt), each with its
// reason. Those in skipped.txt are not even begun: what they leave behind would take others with them. They count as
// missed. Ends with 'N passed, N failed'; exit 0 when nothing failed, 1 when something did, 2 when it could not run.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const suite = process.env.SUITE ?? join(root, '../shared/tools/suite.sh')
const spawns = process.argv[2] === '--spawn'
const named = process.argv.slice(spawns ? 3 : 2)
const files = named.length > 0 ? named : ['unit/type/stream', 'unit/type/stream-cgroups']
const skipFile = fileURLToPath(new URL('skipped.txt', import.meta.url))

if (!existsSync(suite)) {
  console.error(`conformance: no suite.sh at ${suite}; name it in the environment variable SUITE`)
  process.exit(2)
}

/** The line that tells the port is among the first of the log. */
const LOG_START_LENGTH = 10_000

/** Names of tests that are messages show the port of the run. */
const PORT = /'\d{4,5}'/g
const PLACE = "'port'"

/** Lines 'unit/file<TAB>name of the test<TAB>reason'; '#' begins a comment. */
function expectedMisses() {
  const text = readFileSync(new URL(`expected-misses${spawns ? '.spawn' : ''}.txt`, import.meta.url), 'utf8')
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Set(lines.map(line => line.split('\t').slice(0, 2).join('\t').replace(PORT, PLACE)))
}

async function startServer(dir) {
  const args = [join(root, 'dist/main.js'), '--port', '0', '--dir', dir, '--enable-debug-command', 'local']
  // The suite asks for Redis' null where a lag cannot be estimated.
  args.push('--stream-exact-lag', 'no')
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  const port = await new Promise((resolve, reject) => {
    child.stdout.on('data', chunk => {
      if (text.length < LOG_START_LENGTH) text += chunk
      const ready = /^millrace \S+ ready on \S*?:(\d+):/m.exec(text)
      if (ready) resolve(Number(ready[1]))
    })
    child.on('exit', code => reject(new Error(`the server exited with ${code}`)))
  })
  const stop = () => {
    child.removeAllListeners('exit')
    child.kill('SIGTERM')
  }
  return { target: String(port), stop }
}

/**
 * Misses that are not expected. 'not reached' counts tests without a name: those that were skipped are among them.
 */
function surprisesIn(missed, expected) {
  const seen = new Set(missed)
  return missed.filter(line => {
    if (expected.has(line)) return false
    const unreached = /^(\S+)\t\(not reached: (\d+) more\)$/.exec(line)
    if (unreached === null) return true
    const unseen = [...expected].filter(one => one.startsWith(`${unreached[1]}\t`) && !seen.has(one))
    return Number(unreached[2]) > unseen.length
  })
}

const dir = mkdtempSync(join(tmpdir(), 'millrace-conformance-'))
const out = mkdtempSync(join(tmpdir(), 'millrace-suite-'))
const launcher = fileURLToPath(new URL('launcher', import.meta.url))
const server = spawns ? { target: `spawn:${launcher}`, stop() {} } : await startServer(join(dir, 'data'))
// Not spawnSync: it would let the pipe with the server's log fill up, and the server would wait for ever.
const run = spawn('bash', [suite, server.target, ...files], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, SUITE_OUT: out, SUITE_MIN: '0', SUITE_ARGS: `--skipfile ${skipFile}` },
})
const [status] = await once(run, 'exit')
server.stop()
if (status !== 0 && status !== 1) process.exit(2)

const lines = readFileSync(join(out, 'lines'), 'utf8').trim().split('\n')
const tallies = lines.map(line => /^(\S+) ok \d+ err \d+ ignore \d+ peer (\d+)\/(\d+)/.exec(line))
const [passed, wanted] = [2, 3].map(group => tallies.reduce((sum, tally) => sum + Number(tally[group]), 0))
const expected = expectedMisses()
const missed = readFileSync(join(out, 'missed.txt'), 'utf8').replace(PORT, PLACE).split('\n').filter(Boolean)
const surprises = surprisesIn(missed, expected)
for (const line of missed) console.log(`${surprises.includes(line) ? 'MISSED' : 'expected miss'}: ${line}`)
console.log(`${((100 * passed) / wanted).toFixed(2)} % of the ${wanted} tests that redis-server passes`)
rmSync(dir, { recursive: true, force: true })
if (surprises.length === 0) rmSync(out, { recursive: true, force: true })
else console.log(`logs: ${out}`)
console.log(`${passed} passed, ${surprises.length} failed`)
process.exit(surprises.length === 0 && passed > 0 ? 0 : 1)
