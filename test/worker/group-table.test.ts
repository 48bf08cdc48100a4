import t from 'tap'
import type { StreamFigures } from '../../src/worker/index.js'
import { groupRates, groupTable } from '../../src/worker/group-table.js'

function figures(entriesRead: number | undefined, pending: number): StreamFigures {
  return {
    stream: 'jobs',
    length: 120,
    entriesAdded: 200,
    capacity: { payloadBytes: 2048, deliveryBytes: 100 },
    groups: [
      {
        name: 'workers',
        consumers: [{ name: 'ann', pending, idleMs: 90_000 }],
        pending,
        lag: entriesRead === undefined ? undefined : 200 - entriesRead,
        entriesRead,
        lastDeliveredId: '1-1',
        oldestPendingAgeMs: 1500,
      },
    ],
  }
}

t.test('rates are those between two looks', async t => {
  t.same(
    [...groupRates([figures(100, 10)], [figures(140, 30)], 2)],
    [['jobs workers', { deliveredPerS: 20, acknowledgedPerS: 10 }]],
  )
  t.equal(groupRates([], [figures(140, 30)], 2).size, 0, 'a group seen once has none')
  t.equal(
    groupRates([figures(undefined, 1)], [figures(undefined, 2)], 2).size,
    0,
    'nor one whose reads are not counted',
  )
})

t.test('the table has a line for each group and each consumer', async t => {
  const text = groupTable([figures(140, 30)], groupRates([figures(100, 10)], [figures(140, 30)], 2))
  t.equal(
    text,
    'STREAM  GROUP    CONSUMER  LENGTH  LAG  PENDING  OLDEST  IDLE  READ/S  ACK/S      BYTES\n' +
      'jobs    workers  1            120   60       30    1.5s            20     10  2.0K+100B\n' +
      '                 ann                         30          1.5m\n',
  )
})

t.test('what is unknown or absent is shown as such', async t => {
  const bare: StreamFigures = { stream: 's', length: 3, entriesAdded: 3, capacity: undefined, groups: [] }
  const lines = groupTable([bare, figures(undefined, 0)], new Map()).split('\n')
  t.match(lines[1], /^s +- +3$/)
  t.match(lines[2], /^jobs +workers +1 +120 +\? +0 +- +- +- +2\.0K\+100B$/)
})
