import t from 'tap'
import { Backlog } from '../../src/store/backlog.js'

function setUp() {
  const host = { dirtyBytesDue: 100, journalBytesDue: 1000, writing: false, failure: undefined as string | undefined }
  let relieved = 0
  const backlog = new Backlog(host, () => relieved++)
  return { host, backlog, relieved: () => relieved }
}

t.test('writes wait when a checkpoint is being written and far too much has come meanwhile', async t => {
  const { host, backlog, relieved } = setUp()
  backlog.look(10_000, 10_000)
  t.equal(backlog.congested, false, 'nothing runs whose end would set them free')
  host.writing = true
  backlog.look(199, 1999)
  t.equal(backlog.congested, false)
  backlog.look(200, 0)
  t.equal(backlog.congested, true)
  t.equal(backlog.fault, undefined)
  t.equal(relieved(), 0)
  backlog.over()
  t.equal(backlog.congested, false)
  t.equal(relieved(), 1)
  backlog.over()
  t.equal(relieved(), 1)
  backlog.look(0, 2000)
  t.equal(backlog.congested, true, 'the journal counts for itself')
})

t.test('writes are refused when the last checkpoint failed and much waits, until one succeeds', async t => {
  const { host, backlog } = setUp()
  host.failure = 'No space left on device'
  backlog.look(199, 0)
  t.equal(backlog.fault, undefined)
  backlog.look(3_000_000, 0)
  t.equal(
    backlog.fault,
    'MISCONF The last checkpoint failed (No space left on device), and 3 MiB of changes wait for one: ' +
      'no more until one succeeds.',
  )
  t.equal(backlog.congested, false)
  backlog.over()
  t.not(backlog.fault, undefined, 'another that failed changes nothing')
  host.failure = undefined
  backlog.over()
  t.equal(backlog.fault, undefined)
})

t.test('a trigger that is switched off sets no limit', async t => {
  const { host, backlog } = setUp()
  host.dirtyBytesDue = host.journalBytesDue = 0
  host.writing = true
  backlog.look(2 ** 40, 2 ** 40)
  t.equal(backlog.congested, false)
})
