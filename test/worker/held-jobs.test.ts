import t from 'tap'
import type { HeldJob } from '../../src/worker/held-jobs.js'
import { HeldJobs } from '../../src/worker/held-jobs.js'
import { Job } from '../../src/worker/job.js'

function hold(id: string, jobId = id): HeldJob {
  const abort = new AbortController()
  const job = new Job('s', 'g', { id, words: [], deliveries: 1 }, jobId, abort.signal)
  return { job, abort, state: 'checking', lost: false, trimmed: false, timer: undefined }
}

t.test('jobs go through their states and are counted in them', async t => {
  const held = new HeldJobs()
  const [a, b] = [hold('1-1', 'a'), hold('1-2', 'b')]
  held.add(a)
  held.add(b)
  t.same([held.waiting, held.running, held.delayed], [2, 0, 0])
  t.equal(held.begin(), undefined, 'what is being looked up is not begun')
  held.queue(b)
  held.queue(a)
  t.equal(held.begin(), b, 'in the order of queuing')
  t.same([held.waiting, held.running], [1, 1])
  held.delay(b, 3_600_000, () => undefined)
  t.same([held.waiting, held.running, held.delayed], [1, 0, 1])
  held.forget(b)
  held.forget(a)
  t.equal(held.begin(), undefined, 'a forgotten one is not begun')
  t.same([held.waiting, held.running, held.delayed, held.all().length], [0, 0, 0, 0])
})

t.test('two entries of one job are told apart', async t => {
  const held = new HeldJobs()
  const [first, second] = [hold('1-1', 'a'), hold('1-2', 'a')]
  held.add(first)
  held.add(second)
  held.forget(first)
  t.same([held.has('1-1'), held.has('1-2'), held.hasJob('a')], [false, true, true])
  held.forget(second)
  held.forget(second)
  t.equal(held.hasJob('a'), false)
})
