import t from 'tap'
import { Progress } from '../../src/admin/progress.js'
import { FakeClock } from '../../src/base/clock.js'

t.test('a line now and then, none for what is quick', async t => {
  const lines: string[] = []
  const clock = new FakeClock(0)
  const output = { out: () => undefined, err: (text: string) => void lines.push(text) }
  const progress = new Progress(output, clock, 'read % pages', 1000)
  for (let i = 0; i < 500; i++) progress.step()
  t.same(lines, [])
  clock.advance(2500)
  progress.look()
  t.same(lines, ['read 500 of 1000 pages (50 %)\n'])
  progress.look(700)
  t.equal(lines.length, 1, 'and then silence for a while')
  clock.advance(2500)
  progress.look(700)
  t.equal(lines[1], 'read 700 of 1000 pages (70 %)\n')
})
