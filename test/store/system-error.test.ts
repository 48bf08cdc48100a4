import { constants } from 'node:os'
import t from 'tap'
import { systemErrorText } from '../../src/store/system-error.js'

t.test('a number of the system becomes words and its name', async t => {
  t.equal(systemErrorText(-constants.errno.ENOSPC), 'no space left on device (ENOSPC)')
  t.equal(systemErrorText(-99_999), 'unknown error (error 99999)')
})
