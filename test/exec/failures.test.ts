import t from 'tap'
import { CorruptionError, ReplyError } from '../../src/base/errors.js'
import { Failures } from '../../src/exec/failures.js'
import { NO_REQUEST } from '../../src/exec/context.js'
import { ServerStats } from '../../src/exec/stats.js'
import { ExecHarness } from '../support/exec-harness.js'

function setUp() {
  const harness = new ExecHarness([])
  t.teardown(() => harness.close())
  const { session } = harness.client()
  const panics: unknown[] = []
  const stats = new ServerStats()
  const host = { keyspace: harness.executor.keyspace, dead: false }
  const failures = new Failures(host, {
    stats,
    damaged: (error, doing) => `CORRUPT ${error.message} in ${doing}`,
    panic: error => void panics.push(error),
  })
  const answer = (error: unknown): string => {
    session.reply.truncate(0)
    session.reply.status('half a reply')
    failures.answer(error, session, 0, 'set', NO_REQUEST)
    return Buffer.concat(session.reply.take()).toString()
  }
  return { answer, host, panics, stats, misses: harness.executor.keyspace.rows.misses }
}

const NO_MEMORY = new RangeError('Array buffer allocation failed')

t.test('the mistake of a client and damaged data are answered in place of what was written', async t => {
  const { answer, host, panics, stats } = setUp()
  t.equal(answer(new ReplyError('ERR no')), '-ERR no\r\n')
  t.equal(stats.unexpectedErrorReplies, 0)
  t.equal(answer(new CorruptionError('page 7')), '-CORRUPT page 7 in set\r\n')
  t.equal(stats.unexpectedErrorReplies, 1)
  t.same([host.dead, panics], [false, []])
})

t.test('a command that gets no memory is refused while it has changed nothing', async t => {
  const { answer, host, panics, misses } = setUp()
  misses.arm(undefined)
  t.equal(answer(NO_MEMORY), '-OOM the system gives no memory for this command\r\n')
  t.same([host.dead, panics], [false, []])
  misses.armed = false
  answer(NO_MEMORY)
  t.same([host.dead, panics], [true, [NO_MEMORY]], 'in the middle of a change nobody can go on')
})

t.test('anything else is a defect', async t => {
  const { answer, host, panics, misses } = setUp()
  misses.arm(undefined)
  const defect = new TypeError('x is undefined')
  answer(defect)
  t.same([host.dead, panics], [true, [defect]])
})
