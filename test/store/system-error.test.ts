import { constants, tmpdir } from 'node:os'
import t from 'tap'
import { storeFailureText, systemErrorText } from '../../src/store/system-error.js'

t.test('a number of the system becomes words and its name', async t => {
  t.equal(systemErrorText(-constants.errno.ENOSPC), 'no space left on device (ENOSPC)')
  t.equal(systemErrorText(-99_999), 'unknown error (error 99999)')
})

t.test('the reason of LMDB is passed on; its complaint of a device that has room is believed', async t => {
  t.equal(storeFailureText(new Error('No space left on device: 7'), tmpdir()), 'No space left on device: 7')
  t.equal(storeFailureText(new Error('Input/output error'), tmpdir()), 'Input/output error')
  t.equal(storeFailureText('given up', tmpdir()), 'given up')
})
