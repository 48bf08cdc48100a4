import t from 'tap'
import { FakeClock } from '../../src/base/clock.js'
import { TurnShares } from '../../src/exec/turn-shares.js'

const turn = () => new Promise(resolve => setImmediate(resolve))

t.test('works come by turns, each as long as the share lasts, and others have their turn in between', async t => {
  const clock = new FakeClock(1000)
  const log: string[] = []
  const shares = new TurnShares(clock, () => log.push('over'))
  const add = (name: string, pieces: number): void =>
    shares.add(isOver => {
      while (pieces > 0) {
        log.push(name)
        pieces--
        clock.advance(0.04)
        if (isOver()) break
      }
      if (pieces > 0) add(name, pieces)
    })
  add('a', 4)
  add('b', 2)
  add('c', 1)
  t.same(log, [], 'nothing runs at once')
  await turn()
  t.same(log.splice(0), ['a', 'a', 'a', 'over'], 'a share, and not more')
  await turn()
  t.same(log.splice(0), ['b', 'b', 'c', 'over'], 'the others first')
  await turn()
  t.same(log.splice(0), ['a', 'over'], 'and the rest of the first')
  await turn()
  t.same(log, [], 'nothing is left')
})

t.test('a work runs once in a turn, however short it is, and one runs in each, however long', async t => {
  const clock = new FakeClock(1000)
  let short = 0
  let long = 0
  const shares = new TurnShares(clock, () => undefined)
  const shortWork = (): void => {
    if (++short < 3) shares.add(shortWork)
  }
  shares.add(shortWork)
  await turn()
  t.equal(short, 1)
  await turn()
  await turn()
  t.equal(short, 3)
  const longWork = (): void => {
    clock.advance(50)
    if (++long < 3) shares.add(longWork)
  }
  shares.add(longWork)
  shares.add(longWork)
  await turn()
  t.equal(long, 1)
  await turn()
  t.equal(long, 2)
  for (let i = 0; i < 3; i++) await turn()
  t.equal(long, 4, 'both ended')
})
