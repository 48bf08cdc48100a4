// The example that README shows: four workers, one killed in the middle, every job done exactly once. WORKER_JOBS jobs
// (5,000).

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { ROOT } from '../support/sources.js'
import { startServer } from '../support/start-server.js'

const JOBS = Number(process.env.WORKER_JOBS ?? 5000)

t.test('the worker example does every job once although a worker is killed', async t => {
  const server = await startServer()
  t.teardown(async () => void (await server.stop()))
  const script = join(ROOT, 'examples/worker/run.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [script, String(server.port), String(JOBS)])
  t.match(stdout, /killed ann/)
  t.match(stdout, new RegExp(`^${JOBS} of ${JOBS} jobs done, each once; 0 missing$`, 'm'))
})
