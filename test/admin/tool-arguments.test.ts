import t from 'tap'
import { parsed, toolCommand } from '../../src/admin/tool-arguments.js'

t.test('arguments and options are read, help is printed, mistakes are one sentence', async t => {
  let out = ''
  const output = { out: (text: string) => void (out += text), err: () => t.fail('nothing goes to standard error') }
  const command = () => toolCommand('dig', 'Digs.', output).argument('<where>', 'place').option('--deep <m>', 'depth')
  const read = command()
  t.equal(parsed(read, ['here', '--deep', '3']), true)
  t.same([read.args, read.opts()], [['here'], { deep: '3' }])
  t.equal(parsed(command(), ['--help']), false)
  t.match(out, /^Usage: millrace dig /)
  for (const [argv, words] of [
    [[], "dig: missing required argument 'where'. See: millrace dig --help"],
    [['a', 'b'], 'dig: too many arguments'],
    [['a', '--deep'], 'dig: option '],
  ] as const) {
    t.throws(() => parsed(command(), argv), { name: 'UsageError', message: new RegExp(`^${words}`) })
  }
})
