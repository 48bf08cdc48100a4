import t from 'tap'
import { IdleMemory } from '../../src/exec/idle-memory.js'

const MIB = 1024 * 1024

function rig() {
  const state = {
    commands: 0,
    unused: 100 * MIB,
    keeps: 0,
    trims: 0,
    nowUs: 0,
    took: [] as number[],
    /** What passes were asked for, and how many slices the next one takes; each gives back so much. */
    asked: [] as number[],
    slices: 1,
    sliceGives: 0,
    collections: 0,
    later: [] as (() => void)[],
  }
  let left = 0
  const idle = new IdleMemory({
    commands: () => state.commands,
    unusedBytes: () => state.unused,
    trim: () => {
      state.trims++
      state.nowUs += 3000
      state.unused = 110 * MIB + state.keeps
      return true
    },
    trimSome: bytesMax => {
      if (left === 0) {
        state.asked.push(bytesMax)
        left = state.slices
      }
      state.unused -= state.sliceGives
      return --left > 0
    },
    collectGarbage: () => state.collections++,
    later: work => {
      state.later.push(work)
      return { unref: () => undefined } as unknown as NodeJS.Timeout
    },
    took: ms => state.took.push(ms),
    nowUs: () => state.nowUs,
  })
  idle.start()
  idle.stop()
  /** Lets all that was put off happen. */
  const run = (): void => {
    for (let work = state.later.shift(); work !== undefined; work = state.later.shift()) work()
  }
  const busyLook = (): void => {
    state.commands += 1000
    idle.look()
  }
  return { state, idle, run, busyLook }
}

t.test('all of it goes back once nobody asks for anything, and not before', async t => {
  const { state, idle } = rig()
  state.unused = 900 * MIB
  for (let second = 0; second < 3; second++) {
    state.commands += 21
    idle.look()
  }
  t.equal(state.trims, 0, 'others would wait')
  state.commands += 20
  idle.look()
  t.equal(state.trims, 1, 'who watches the server is no load')
  t.equal(state.took.at(-1), 3, 'what it took is told')
  idle.look()
  t.equal(state.trims, 1, 'there is nothing more to give back')
})

t.test('what is in use stays, and is not tried again and again', async t => {
  const { state, idle } = rig()
  Object.assign(state, { unused: 900 * MIB, keeps: 700 * MIB })
  for (let second = 0; second < 5; second++) idle.look()
  t.equal(state.trims, 1)
  state.unused += 63 * MIB
  idle.look()
  t.equal(state.trims, 1, 'a little is not worth it')
  state.unused += MIB
  idle.look()
  t.equal(state.trims, 2)
})

t.test('what has gone by itself counts from there', async t => {
  const { state, idle } = rig()
  state.unused = 40 * MIB
  idle.look()
  state.unused = 104 * MIB
  idle.look()
  t.equal(state.trims, 1)
})

t.test('after a reset of the statistics the next second tells', async t => {
  const { state, idle } = rig()
  state.commands = 1000
  idle.look()
  state.commands = 5
  state.unused = 900 * MIB
  idle.look()
  t.equal(state.trims, 0)
  idle.look()
  t.equal(state.trims, 1)
})

t.test('while clients ask, much of it goes back in slices, and half a step stays', async t => {
  const { state, run, busyLook } = rig()
  Object.assign(state, { slices: 4, sliceGives: 100 * MIB, unused: 227 * MIB })
  busyLook()
  t.same(state.asked, [], 'it comes and goes')
  state.unused = 564 * MIB
  busyLook()
  t.same(state.asked, [400 * MIB])
  busyLook()
  t.equal(state.later.length, 1, 'one pass at a time')
  run()
  t.same([state.unused, state.trims, state.took.length], [164 * MIB, 0, 4], 'nobody waits for all of it')
  for (let second = 0; second < 20; second++) busyLook()
  t.equal(state.asked.length, 1)
  state.unused += 64 * MIB
  busyLook()
  t.equal(state.asked.length, 2, 'the bound is the same as before')
})

t.test('under load a pass in vain is tried again after a while: it may have been in use just then', async t => {
  const { state, run, busyLook } = rig()
  state.unused = 600 * MIB
  const passes: number[] = []
  for (let second = 0; second < 20; second++) {
    busyLook()
    run()
    if (state.asked.length > passes.length) passes.push(second)
  }
  t.same(passes, [0, 8, 16])
})

t.test('a purge looks for garbage at once, and gives all back soon', async t => {
  const { state, idle, run } = rig()
  state.slices = 2
  idle.purge()
  t.same([state.collections, state.asked.length], [1, 0])
  run()
  t.same([state.asked.length, state.trims, state.later.length], [1, 1, 0])
  t.ok(state.asked[0] > 2 ** 50)
})

t.test('garbage goes when it is asked to', async t => {
  const gone = new Promise<void>(resolve => {
    const registry = new FinalizationRegistry(() => resolve())
    registry.register({}, undefined)
    t.teardown(() => registry)
  })
  const idle = new IdleMemory({ commands: () => 0, took: () => undefined, nowUs: () => 0 })
  // The object is young and was just made: a turn of the loop lets go of it.
  await new Promise(resolve => setImmediate(resolve))
  idle.purge()
  idle.stop()
  await gone
  t.equal(
    typeof (globalThis as { gc?: unknown }).gc,
    process.execArgv.includes('--expose-gc') ? 'function' : 'undefined',
  )
})
