// Every command of the table in every odd state, against redis-server: the same bytes, but for what exceptions.ts
// lists with its reason. Requests are made from the rows, so that a new command is in the matrix as soon as it is in
// the table.

import t from 'tap'
import { compareRows, startPair } from './sides.js'
import { after, plain, plain3, queued, scripted, VALUES } from './states.js'

t.setTimeout(120_000)

const types = Object.keys(VALUES)
const pair = await startPair(t)

for (const type of types) {
  t.test(`keys hold ${type}`, async t => compareRows(t, type, await pair.connect(t), plain(type)))
  t.test(`keys hold ${type}, RESP3`, async t => compareRows(t, `${type} RESP3`, await pair.connect(t), plain3(type)))
  t.test(`in MULTI, keys hold ${type}`, async t => compareRows(t, `MULTI ${type}`, await pair.connect(t), queued(type)))
  t.test(`in a script, keys hold ${type}`, async t =>
    compareRows(t, `script ${type}`, await pair.connect(t), scripted(type)),
  )
}

t.test('in subscribe mode of RESP2', async t =>
  compareRows(t, 'subscribed', await pair.connect(t), after([['SUBSCRIBE', 'ch']], [['RESET']])),
)

t.test('under a user without rights', async t => {
  const sides = await pair.connect(t)
  await pair.bothSay('ACL', 'SETUSER', 'nobody', 'on', 'nopass', 'resetkeys', 'resetchannels', '-@all')
  await compareRows(t, 'no rights', sides, after([['AUTH', 'nobody', 'x']], [['AUTH', 'default', 'x'], ['RESET']]))
})

t.test('under a user without keys and channels', async t => {
  const sides = await pair.connect(t)
  await pair.bothSay('ACL', 'SETUSER', 'keyless', 'on', 'nopass', 'resetkeys', 'resetchannels', '+@all')
  await compareRows(t, 'no keys', sides, after([['AUTH', 'keyless', 'x']], [['AUTH', 'default', 'x'], ['RESET']]))
})
