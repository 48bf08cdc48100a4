import t from 'tap'
import { MessageStateError, storageError, StorageFailure } from '../../src/queue/queue-errors.js'

t.test('what the server says is told apart by its code', async t => {
  const code = (message: string) => (storageError('store', new Error(message)) as StorageFailure).code
  const said: Record<string, string> = {
    'MISCONF Errors writing to the AOF file: No space left on device': 'misconf',
    "OOM command not allowed when used memory > 'maxmemory'.": 'oom',
    "READONLY You can't write against a read only replica.": 'readonly',
    'LOADING Redis is loading the dataset in memory': 'loading',
    'BUSY Redis is busy running a script.': 'busy',
    'NOPERM this user has no permissions': 'denied',
    'MQGONE the storage was destroyed': 'gone',
    'Connection is closed.': 'unreachable',
    'connect ECONNREFUSED 127.0.0.1:1': 'unreachable',
    'Reached the max retries per request limit (which is 2). Refer to …': 'unreachable',
    'WRONGTYPE Operation against a key holding the wrong kind of value': 'other',
  }
  for (const [message, expected] of Object.entries(said)) t.equal(code(message), expected, message)
})

t.test('only a server that could not be reached leaves a doubt', async t => {
  t.equal((storageError('store', new Error('Connection is closed.')) as StorageFailure).uncertain, true)
  t.equal((storageError('store', new Error('OOM no')) as StorageFailure).uncertain, false)
})

t.test('a missing queue is an error of its own, and ours pass unchanged', async t => {
  t.match(storageError('fetch', new Error('MQNOQUEUE mails')), { name: 'QueueMissingError', queue: 'mails' })
  const failure = new StorageFailure('oom', 'store', new Error('x'))
  t.equal(storageError('again', failure), failure)
})

t.test('a refusal names step, messages and what was found', async t => {
  const error = new MessageStateError('drop', [
    { uid: 4, found: 'gone' },
    { uid: 5, found: 'idle' },
  ])
  t.match(error.message, 'message 4 is gone, message 5 is idle')
})
