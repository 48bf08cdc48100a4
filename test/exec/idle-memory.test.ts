import t from 'tap'
import { IdleMemory } from '../../src/exec/idle-memory.js'

const MIB = 1024 * 1024

function rig() {
  const state = { commands: 0, unused: 100 * MIB, keeps: 0, trims: 0, nowUs: 0, took: [] as number[] }
  const idle = new IdleMemory({
    commands: () => state.commands,
    unusedBytes: () => state.unused,
    trim: () => {
      state.trims++
      state.nowUs += 3000
      state.unused = 110 * MIB + state.keeps
      return true
    },
    took: ms => state.took.push(ms),
    nowUs: () => state.nowUs,
  })
  idle.start()
  idle.stop()
  return { state, idle }
}

t.test('memory goes back once nobody asks for anything, and not before', async t => {
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
  t.same(state.took, [3], 'what it took is told')
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
