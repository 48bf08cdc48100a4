// One contract, four backends and one more: memory, redis-server with the scripts, Millrace with the scripts, Millrace
// with streams, redis-server with streams. Equal observable results: the cases do not know what they run on.

import t from 'tap'
import { appendCases } from './contract/append-cases.js'
import { allBackends } from './contract/harness.js'
import { scanCases } from './contract/scan-cases.js'
import { registryCases, watermarkCases } from './contract/watermark-cases.js'

const CASES_MIN = 80
const cases = [...appendCases, ...scanCases, ...watermarkCases, ...registryCases]

t.test('the contract has its cases, each named once', async t => {
  t.ok(cases.length >= CASES_MIN, `${cases.length} cases`)
  t.equal(new Set(cases.map(({ name }) => name)).size, cases.length)
})

for (const backend of await allBackends(t)) {
  t.test(backend.name, async t => {
    for (const { name, run, retentionDays } of cases) {
      await t.test(name, async t => run(t, await backend.world({ retentionDays })))
    }
  })
}
