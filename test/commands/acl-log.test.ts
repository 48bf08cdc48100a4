import t from 'tap'
import { AclLog } from '../../src/commands/acl-log.js'
import type { AclLogEntry } from '../../src/commands/acl-log.js'

const entry = (more: Partial<AclLogEntry>): AclLogEntry => ({
  reason: 'key',
  context: 'toplevel',
  object: 'k',
  username: 'u',
  clientInfo: '',
  atMs: 0,
  ...more,
})

t.test('the same denial within a minute is counted, newest first', async t => {
  const log = new AclLog(() => 3)
  const shown = () => log.entries.map(({ entry: { object, atMs }, count }) => `${object} ${count} ${atMs}`)
  log.add(entry({}))
  log.add(entry({ object: 'l', atMs: 1000 }))
  log.add(entry({ atMs: 60_000 }))
  t.same(shown(), ['k 2 60000', 'l 1 1000'])
  t.match(
    log.entries,
    [
      { id: 0, createdMs: 0 },
      { id: 1, createdMs: 1000 },
    ],
    'known by its first time',
  )
  log.add(entry({ atMs: 120_001 }))
  t.same(shown(), ['k 1 120001', 'k 2 60000', 'l 1 1000'])
  log.add(entry({ username: 'v', atMs: 120_001 }))
  log.add(entry({ context: 'lua', atMs: 120_001 }))
  t.equal(log.entries.length, 3)
  log.reset()
  t.same(shown(), [])
})
