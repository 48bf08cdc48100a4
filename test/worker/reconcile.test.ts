import t from 'tap'
import { MemoryAuthority } from '../../src/worker/index.js'
import { reconcile } from '../../src/worker/reconcile.js'

/** A stream that holds the given entries, and a report of what was done. */
function stage(readable: readonly string[]) {
  const entries = new Set(readable)
  const done: string[] = []
  let next = 100
  const dispatcher = {
    exist: async (ids: readonly string[]) => ids.map(id => entries.has(id)),
    add: async (words: readonly string[]) => {
      entries.add(`${++next}-0`)
      done.push(`add ${words.join(' ')}`)
      return `${next}-0`
    },
    remove: async (id: string) => {
      entries.delete(id)
      done.push(`remove ${id}`)
    },
  }
  const report = {
    redispatched: (job: { jobId: string }, id: string) => void done.push(`${job.jobId} is ${id}`),
    unrecoverable: (job: { jobId: string }) => void done.push(`${job.jobId} is unrecoverable`),
  }
  return { dispatcher, report, done }
}

const running = new AbortController().signal

t.test('only jobs whose entry cannot be read are touched', async t => {
  const authority = new MemoryAuthority()
  authority.expect('readable', '1-0', { n: '1' })
  authority.expect('lost', '2-0', { n: '2' })
  authority.expect('held', '3-0', { n: '3' })
  authority.expect('bare', '4-0', undefined)
  authority.expect('early', undefined, { n: '5' })
  const { dispatcher, report, done } = stage(['1-0'])
  await reconcile(authority, dispatcher, jobId => jobId === 'held', report, running)
  t.same(done, ['add n 2', 'lost is 101-0', 'bare is unrecoverable', 'add n 5', 'early is 102-0'])
  done.length = 0
  await reconcile(authority, dispatcher, jobId => jobId === 'held', report, running)
  t.same(done, ['bare is unrecoverable'], 'the second look finds them where they are')
})

t.test('a job that somebody else dispatched meanwhile is taken back', async t => {
  const authority = new MemoryAuthority()
  authority.expect('lost', '2-0', { n: '2' })
  const { dispatcher, report, done } = stage([])
  const slow = {
    ...dispatcher,
    add: async (words: readonly string[]) => {
      await authority.relocate('lost', '2-0', '50-0')
      return dispatcher.add(words)
    },
  }
  await reconcile(authority, slow, () => false, report, running)
  t.same(done, ['add n 2', 'remove 101-0'])
})

t.test('many jobs are looked at in batches, and a signal ends it', async t => {
  const authority = new MemoryAuthority()
  for (let i = 0; i < 250; i++) authority.expect(`job-${i}`, `${i}-1`, { i: String(i) })
  const all = stage([])
  await reconcile(authority, all.dispatcher, () => false, all.report, running)
  t.equal(all.done.filter(line => line.startsWith('add')).length, 250)
  const stopped = stage([])
  await reconcile(authority, stopped.dispatcher, () => false, stopped.report, AbortSignal.abort())
  t.same(stopped.done, [])
})
