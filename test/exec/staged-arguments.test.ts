import t from 'tap'
import { PIECE_BYTES } from '../../src/base/allocation.js'
import { argumentsOf, journaledForm, StagedArguments } from '../../src/exec/staged-arguments.js'
import { LargeArgument } from '../../src/resp/large-argument.js'
import { LargeRequest } from '../../src/resp/large-request.js'
import { requestOf } from '../../src/resp/request.js'
import { seeded } from '../support/seeded.js'

const random = seeded()
t.comment(`SEED=${random.seed}`)

function largeOf(bytes: Buffer, id?: number): LargeArgument {
  const argument = new LargeArgument(bytes.length)
  argument.take(bytes, 0, bytes.length)
  if (id !== undefined) argument.staged = { id, cuts: 5 }
  return argument
}

function stage(staged: StagedArguments, id: number, { pieces }: LargeArgument, perPart = 2): void {
  for (let i = 0; i < pieces.length; i += perPart) {
    t.ok(staged.take(requestOf(['STAGE', id, i, ...pieces.slice(i, i + perPart)])))
  }
}

t.test('a command is journaled by the numbers of what came before it, and is the same again', async t => {
  const [one, two] = [random.bytes(5 * PIECE_BYTES + 1), random.bytes(PIECE_BYTES)]
  const args = ['MSET', 'a', largeOf(one, 7), 'b', largeOf(two, 8), 'c', 'short']
  const form = journaledForm(args, 5)
  t.same(form, ['STAGED', 2, 7, 2, 8, 4, 'MSET', 'a', '', 'b', '', 'c', 'short'])
  const staged = new StagedArguments()
  stage(staged, 7, largeOf(one))
  stage(staged, 8, largeOf(two))
  const command = staged.command(requestOf(form))!
  t.equal(command.argc, 7)
  t.same(
    [0, 1, 3, 5, 6].map(i => command.text(i)),
    ['MSET', 'a', 'b', 'c', 'short'],
  )
  t.ok(command.bytes(2).equals(one) && command.bytes(4).equals(two))
  t.equal(staged.command(requestOf(form)), undefined, 'once')
})

t.test('after a cut, or where nothing was staged, the command is journaled whole', async t => {
  const bytes = random.bytes(PIECE_BYTES + 5)
  for (const cuts of [6, undefined]) t.same(journaledForm(['SET', 'k', largeOf(bytes, 1)], cuts), ['SET', 'k', bytes])
  t.same(journaledForm(['SET', 'k', largeOf(bytes)], 5), ['SET', 'k', bytes])
  t.same(journaledForm(['SET', 'k', 'v'], 5), ['SET', 'k', 'v'])
  const large = largeOf(bytes)
  t.same(argumentsOf(new LargeRequest(requestOf(['SET', 'k', '']), new Map([[2, large]]))), [
    Buffer.from('SET'),
    Buffer.from('k'),
    large,
  ])
})

t.test('a number that begins again forgets what was never referred to', async t => {
  const staged = new StagedArguments()
  stage(staged, 1, largeOf(random.bytes(4 * PIECE_BYTES)))
  const bytes = random.bytes(3 * PIECE_BYTES - 1)
  stage(staged, 1, largeOf(bytes))
  t.ok(
    staged
      .command(requestOf(['STAGED', 1, 1, 2, 'SET', 'k', '']))!
      .bytes(2)
      .equals(bytes),
  )
})

t.test('what does not fit together is refused', async t => {
  const staged = new StagedArguments()
  t.notOk(staged.take(requestOf(['STAGE', 1, 2, 'piece'])), 'the beginning is missing')
  t.ok(staged.take(requestOf(['STAGE', 1, 0, 'piece'])))
  t.notOk(staged.take(requestOf(['STAGE', 1, 3, 'piece'])), 'something between is missing')
  for (const words of [
    ['STAGED', 1, 9, 2, 'SET', 'k', ''],
    ['STAGED', 1, 1, 3, 'SET', 'k', ''],
    ['STAGED', 0, 'SET', 'k', ''],
    ['STAGED', 2, 1, 2],
  ]) {
    t.equal(staged.command(requestOf(words)), undefined, words.join(' '))
  }
})
