// npm run test:long: the long forms. Every test file with its big counts (differential, crash, fuzz, examples), then
// the conformance suite. Ends with 'N passed, N failed' over everything. Hours are fine here; each part prints as it
// goes.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const LONG = {
  LONG: '1',
  DIFF_COUNT: '500000', // per protocol, of which there are two
  CRASH_ROUNDS: '50',
  AUDIT_STEPS: '5000',
  AUDIT_KILLS: '20',
  RACE_STEPS: '1000',
  MODEL_OPS: '2000',
  MAILBOX_MESSAGES: '50000',
  MAILBOX_CLIENTS: '1000',
  WORKER_JOBS: '100000',
  CHAOS_JOBS: '200000',
  CHAOS_MESSAGES: '200000',
  FUZZ_RUNS: '20000',
  BUSY_ROUNDS: '100',
  HUGE_MIB: '512',
  LARGE_MEMBERS: '10000000', // of each type
  LARGE_CACHE_MIB: '64',
  LEAK_CALLS: '10000000',
  SCRIPT_COUNT: '20000', // per protocol
  POWER_CUTS: 'all',
  STEADY_CYCLES: '100',
  STORMS: '5',
  DISK_FAULTS: '40', // per durability mode
  SOAK_ROUNDS: '20',
  SOAK_S: '60',
  TEST_TIMEOUT_S: '7200',
}
const CONFORMANCE = [
  'unit/acl',
  'unit/acl-v2',
  'unit/auth',
  'unit/bitops',
  'unit/dump',
  'unit/expire',
  'unit/info',
  'unit/info-command',
  'unit/introspection',
  'unit/introspection-2',
  'unit/keyspace',
  'unit/latency-monitor',
  'unit/lazyfree',
  'unit/limits',
  'unit/maxmemory',
  'unit/multi',
  'unit/obuf-limits',
  'unit/other',
  'unit/pause',
  'unit/protocol',
  'unit/pubsub',
  'unit/querybuf',
  'unit/quit',
  'unit/scan',
  'unit/slowlog',
  'unit/sort',
  'unit/type/hash',
  'unit/type/incr',
  'unit/type/list',
  'unit/type/list-2',
  'unit/type/list-3',
  'unit/type/set',
  'unit/type/stream',
  'unit/type/stream-cgroups',
  'unit/type/string',
  'unit/type/zset',
]

const total = { passed: 0, failed: 0 }
function part(name, args) {
  console.log(`\n== ${name}`)
  const run = spawnSync(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...LONG },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 30,
  })
  process.stdout.write(run.stdout)
  const counts = [...run.stdout.matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1)
  total.passed += Number(counts?.[1] ?? 0)
  total.failed += Number(counts?.[2] ?? 0) || (run.status === 0 ? 0 : 1)
}

part('tests, long forms', ['scripts/test.mjs'])
part('conformance', ['test/conformance/run.mjs', ...CONFORMANCE])
part('conformance, servers started by the suite', ['test/conformance/run.mjs', '--spawn', ...CONFORMANCE])
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed === 0 ? 0 : 1)
