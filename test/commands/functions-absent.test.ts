import t from 'tap'
import { functionsAbsentCommands } from '../../src/commands/functions-absent.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

t.test('what is true of an empty server is answered as by redis-server', async t => {
  await againstRedis(t, functionsAbsentCommands, [
    'FUNCTION',
    'FUNCTION FLUSH',
    'FUNCTION FLUSH ASYNC',
    'FUNCTION FLUSH SYNC',
    'FUNCTION FLUSH NOW',
    'FUNCTION FLUSH SYNC ASYNC',
    'FUNCTION LIST',
    'FUNCTION LIST WITHCODE LIBRARYNAME x*',
    'FUNCTION LIST LIBRARYNAME',
    'FUNCTION LIST X',
    'FUNCTION KILL',
    'FUNCTION KILL x',
    'FUNCTION FOO',
    'SCRIPT EXISTS a b',
    'SCRIPT EXISTS',
    'SCRIPT FLUSH',
    'SCRIPT FLUSH ASYNC',
    'SCRIPT FLUSH NOW',
    'SCRIPT FLUSH SYNC ASYNC',
    'SCRIPT KILL',
    'SCRIPT FOO',
  ])
})

t.test('what needs a script host says so', async t => {
  const ours = new FakeContext(functionsAbsentCommands)
  for (const line of ['FUNCTION LOAD x', 'FUNCTION DELETE x', 'FUNCTION DUMP', 'FUNCTION RESTORE x']) {
    t.equal(ours.ask(...line.split(' ')), '-ERR functions are not available in this version\r\n', line)
  }
  for (const line of ['SCRIPT LOAD x', 'SCRIPT DEBUG YES']) {
    t.equal(ours.ask(...line.split(' ')), '-ERR scripts are not available in this version\r\n', line)
  }
  t.equal(
    ours.ask('FUNCTION', 'STATS'),
    '*4\r\n$14\r\nrunning_script\r\n$-1\r\n$7\r\nengines\r\n*0\r\n',
    'no engine, nothing runs',
  )
})
