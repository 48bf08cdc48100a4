// How a search over groups rests, begins anew and ends; what is searched is of no matter here.

import t from 'tap'
import { ID_MIN } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { PageMiss } from '../../../src/store/page-misses.js'
import { referencesMayCome, searchGroups } from '../../../src/types/stream/group-search.js'
import type { GroupSearch } from '../../../src/types/stream/group-search.js'
import { Stream } from '../../../src/types/stream/stream.js'

/** Has `parts` to look at, and at the end does not hold `failures` times. */
class Counted implements GroupSearch {
  begun = 0
  looked = 0
  asked: number[] = []
  constructor(
    readonly parts: number,
    public failures = 0,
  ) {}
  begin(): void {
    this.begun++
    this.looked = 0
  }
  some(max: number): boolean {
    this.asked.push(max)
    return ++this.looked < this.parts && max !== Infinity
  }
  holds(): boolean {
    return this.failures-- <= 0
  }
}

/** One run of a command; undefined when it rests. */
function run(stream: Stream, name: string, make: () => Counted, mayLast = true): Counted | undefined {
  stream.rows.misses.arm(undefined)
  try {
    return searchGroups({ stream, mayLast, name: () => name, make })
  } catch (error) {
    if (error instanceof PageMiss) return undefined
    throw error
  }
}

const streamOf = (): Stream => {
  const stream = Stream.create(new MemoryRows())
  stream.createGroup('g', ID_MIN, 0)
  return stream
}

t.test('what is short, and commands that cannot come back, are searched in one go', async t => {
  const stream = streamOf()
  t.same(run(stream, 'a', () => new Counted(5), false)?.asked, [Infinity])
  t.equal(stream.rows.misses.armed, true, 'what it takes is not worth keeping the command')
  stream.rows.misses.armed = false
  t.same(searchGroups({ stream, mayLast: true, name: () => 'a', make: () => new Counted(5, 2) }).asked, [
    Infinity,
    Infinity,
    Infinity,
  ])
})

t.test('it rests between its parts and goes on where it was; then the command comes back no more', async t => {
  const stream = streamOf()
  let made = 0
  const make = () => (made++, new Counted(4))
  for (let i = 0; i < 3; i++) t.equal(run(stream, 'a', make), undefined)
  t.equal(run(stream, 'a', make)?.looked, 4)
  t.equal(made, 1)
  t.equal(stream.rows.misses.armed, false, 'the search would be lost')
  t.equal(run(stream, 'a', make), undefined, 'the next command searches for itself')
  t.equal(made, 2)
})

t.test('commands that search for the same share it, others do not', async t => {
  const stream = streamOf()
  const searches: Counted[] = []
  const make = () => (searches.push(new Counted(3)), searches[searches.length - 1])
  run(stream, 'a', make)
  run(stream, 'b', make)
  run(stream, 'a', make)
  t.same(
    searches.map(({ looked }) => looked),
    [2, 1],
  )
  const other = streamOf()
  run(other, 'a', make)
  t.equal(searches.length, 3, 'another stream')
})

t.test('it begins anew when references may have come, and ends though they come all the time', async t => {
  const stream = streamOf()
  const search = new Counted(3)
  const make = () => search
  run(stream, 'a', make)
  run(stream, 'a', make)
  referencesMayCome(stream)
  t.equal(run(stream, 'a', make), undefined)
  t.same([search.begun, search.looked], [1, 1])
  for (let i = 0; i < 2; i++) {
    referencesMayCome(stream)
    t.equal(run(stream, 'a', make), undefined)
  }
  referencesMayCome(stream)
  t.equal(run(stream, 'a', make), search)
  t.equal(search.asked.at(-1), Infinity, 'in one go')
})

t.test('what does not hold is looked at again', async t => {
  const stream = streamOf()
  const search = new Counted(1, 2)
  t.equal(
    run(stream, 'a', () => search),
    undefined,
  )
  t.equal(
    run(stream, 'a', () => search),
    undefined,
  )
  t.equal(
    run(stream, 'a', () => search),
    search,
  )
  t.equal(search.begun, 0)
})

t.test('one that fails is over; of too many that wait the oldest is given up', async t => {
  const stream = streamOf()
  const broken = new Counted(3)
  broken.some = () => {
    throw new Error('damaged')
  }
  t.throws(() => run(stream, 'a', () => broken), /damaged/)
  t.equal(run(stream, 'a', () => new Counted(1))?.looked, 1, 'the next one is another')
  let made = 0
  const make = () => (made++, new Counted(9))
  for (let i = 0; i < 17; i++) run(stream, `search ${i}`, make)
  run(stream, 'search 1', make)
  t.equal(made, 17)
  run(stream, 'search 0', make)
  t.equal(made, 18)
})

t.test(
  'what has to be read in parts on the way rests as well; one that ends at once leaves the command as it was',
  async t => {
    const stream = streamOf()
    const search = new Counted(2)
    let reads = 0
    const some = search.some.bind(search)
    search.some = max => {
      if (reads++ < 2) stream.rows.misses.rest()
      return some(max)
    }
    for (let i = 0; i < 3; i++)
      t.equal(
        run(stream, 'a', () => search),
        undefined,
      )
    t.equal(
      run(stream, 'a', () => search),
      search,
    )
    t.equal(stream.rows.misses.armed, false)
    t.ok(run(stream, 'a', () => new Counted(1)))
    t.equal(stream.rows.misses.armed, true)
    t.equal(stream.rows.misses.mayRest, false)
  },
)
