import { readFileSync } from 'node:fs'
import t from 'tap'
import { MILLRACE_VERSION, REDIS_VERSION } from '../../src/base/version.js'

t.test('our version is that of the package; that of Redis is one clients can compare', async t => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  t.equal(MILLRACE_VERSION, manifest.version)
  t.match(REDIS_VERSION, /^7\.\d+\.\d+$/)
})
