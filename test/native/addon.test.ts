import t from 'tap'
import { addon } from '../../src/native/addon.js'

t.test('the addon, where it was built, has what the doors ask of it', async t => {
  if (addon === undefined) return t.pass('it was not built; the twins do its work')
  for (const name of ['crc32c', 'writeRecords', 'lockFile'] as const) t.type(addon[name], 'function', name)
  // The check value of CRC-32C.
  t.equal(addon.crc32c(Buffer.from('..123456789..'), 2, 11), 0xe3069283)
})
