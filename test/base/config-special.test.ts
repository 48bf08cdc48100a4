import t from 'tap'
import {
  eventLetters,
  master,
  oomScores,
  outputLimits,
  percentiles,
  savePoints,
  titleFault,
} from '../../src/base/config-special.js'
import type { OutputLimits } from '../../src/base/config-special.js'

const NONE = { hardBytes: 0, softBytes: 0, softSeconds: 0 }
const limits: OutputLimits = { normal: NONE, replica: NONE, pubsub: NONE }
const words = (text: string) => text.split(' ')

t.test('save takes pairs of seconds and changes', async t => {
  t.same(savePoints.parse(words('900 1 300 10'), []), [
    { seconds: 900, changes: 1 },
    { seconds: 300, changes: 10 },
  ])
  t.same(savePoints.parse([''], []), [])
  for (const bad of ['a b', '100', '0 1', '1 -1']) {
    t.throws(() => savePoints.parse(words(bad), []), { message: 'Invalid save parameters' }, bad)
  }
})

t.test('output limits keep the classes that are not named', async t => {
  const next = outputLimits.parse(words('slave 1mb 1kb 5'), limits)
  t.equal(outputLimits.format(next), 'normal 0 0 0 slave 1048576 1024 5 pubsub 0 0 0')
  const rows: [string, string][] = [
    ['normal 0 0', 'Wrong number of arguments in buffer limit configuration.'],
    ['foo 0 0 0', 'Invalid client class specified in buffer limit configuration.'],
    ['normal a 0 0', 'Error in hard, soft or soft_seconds setting in buffer limit configuration.'],
  ]
  for (const [bad, message] of rows) t.throws(() => outputLimits.parse(words(bad), limits), { message }, bad)
})

t.test('notification letters are spelled out inside and short outside', async t => {
  t.equal(eventLetters.parse(['KEA'], ''), 'g$lshzxetdKE')
  t.equal(eventLetters.format('g$lshzxetdKE'), 'AKE')
  t.equal(eventLetters.format(eventLetters.parse(['g$lszxetmdKEn'], '')), 'g$lszxetdnKEm')
  t.equal(eventLetters.parse(['AKEn'], ''), eventLetters.parse([eventLetters.format('g$lshzxetdnKE')], ''))
  t.throws(() => eventLetters.parse(['KEZ'], ''), { message: "Invalid event class character. Use 'Ag$lshzxeKEtmdn'." })
})

t.test('percentiles print as short as they can', async t => {
  t.equal(percentiles.format(percentiles.parse(words('50.0 99.99 100.0'), [])), '50 99.99 100')
  t.throws(() => percentiles.parse(words('50 abc'), []), /^Error: Invalid|Invalid latency/)
  t.throws(() => percentiles.parse(words('101'), []), {
    message: 'latency-tracking-info-percentiles parameters should sit between [0.0,100.0]',
  })
})

t.test('the other grammars refuse what Redis refuses', async t => {
  t.throws(() => oomScores.parse(words('1 2'), []), { message: 'wrong number of arguments' })
  t.throws(() => oomScores.parse(words('1 2 4000'), []), /between -2000 and 2000/)
  t.throws(() => master.parse(words('host abc'), ''), { message: 'Invalid master port' })
  t.equal(master.parse(words('no one'), ''), '')
  t.equal(titleFault('{title} {port}'), undefined)
  for (const bad of ['', '{bad}', '{title']) {
    t.equal(titleFault(bad), 'template format is invalid or contains unknown variables', bad)
  }
})
