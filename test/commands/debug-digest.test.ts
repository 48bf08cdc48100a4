import t from 'tap'
import { digestOfAll, digestOfKey } from '../../src/commands/debug-digest.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { FakeContext } from '../support/fake-context.js'

const NOTHING = '0'.repeat(40)

function holding(...lines: string[]): FakeContext {
  const ctx = new FakeContext(stringCommands)
  for (const line of lines) ctx.ask(...line.split(' '))
  return ctx
}

const digest = (...lines: string[]) => digestOfAll(holding(...lines).keyspace)

t.test('equal content has an equal number, in whatever order it came', async t => {
  t.equal(digest(), NOTHING)
  t.equal(digest('SET a 1', 'SET b 2'), digest('SET b 2', 'SET a 0', 'SET a 1'))
  t.match(digest('SET a 1'), /^[0-9a-f]{40}$/)
})

t.test('another name, value, expiry or database is another number', async t => {
  const numbers = [digest('SET a 1'), digest('SET b 1'), digest('SET a 2'), digest('SET a 1 EX 100'), NOTHING]
  const elsewhere = new FakeContext(stringCommands)
  elsewhere.session.databaseIndex = 3
  elsewhere.ask('SET', 'a', '1')
  numbers.push(digestOfAll(elsewhere.keyspace))
  t.equal(new Set(numbers).size, numbers.length)
})

t.test('a key has the number of its value, whatever its name', async t => {
  const { db } = holding('SET a 1', 'SET b 1', 'SET c 2')
  t.equal(digestOfKey(db, 'a'), digestOfKey(db, 'b'))
  t.not(digestOfKey(db, 'a'), digestOfKey(db, 'c'))
  t.equal(digestOfKey(db, 'none'), NOTHING)
})
