import t from 'tap'
import { Flag } from '../../src/commands/spec.js'
import { CommandTable } from '../../src/commands/table.js'
import { TransactionQueue } from '../../src/exec/multi.js'
import { requestOf } from '../../src/resp/request.js'
import { command } from './command-fixture.js'

t.test('queued requests are copies, with their bytes and flags counted', async t => {
  const table = new CommandTable([
    command('get', 2, Flag.ReadOnly, () => undefined),
    command('set', 3, Flag.Write, () => undefined),
  ])
  const multi = new TransactionQueue()
  const request = requestOf(['SET', 'k', 'v'])
  multi.add(table.row('set')!, request)
  request.buffer.fill(0)
  multi.add(table.row('get')!, requestOf(['GET', 'k']))
  t.same(
    multi.commands.map(({ row, request: kept }) => [row.name, kept.text(1)]),
    [
      ['set', 'k'],
      ['get', 'k'],
    ],
  )
  t.equal(multi.flags, Flag.Write | Flag.ReadOnly)
  t.equal(multi.bytes, '*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n'.length)
  t.equal(multi.aborted, false)
})
