// The interpreter without a server: what crosses its edge, and what happens when memory is short.

import t from 'tap'
import { LuaState, Service } from '../../src/native/lua.js'
import { requestOf } from '../../src/resp/request.js'

const MIB = 1024 * 1024

function stateOf(serve: (command: string) => string, bytesMax = 64 * MIB): LuaState {
  const state: LuaState | undefined = LuaState.open((service, used) => {
    if (service !== Service.Command) return 0
    const reply = Buffer.from(serve(state!.wire.toString('latin1', 0, used)), 'latin1')
    if (reply.length > state!.reply.length) return reply
    return reply.copy(state!.reply)
  }, bytesMax)
  if (state === undefined) throw new Error('the addon is not built')
  return state
}

function run(state: LuaState, source: string, args: readonly string[] = [], keys = 0): string {
  const reference = state.compile(Buffer.from(source, 'latin1'), 'script')
  if (typeof reference === 'string') return reference
  const request = requestOf(['EVAL', source, keys, ...args])
  const result = state.run(reference, 'script', request.buffer, request.from, request.to, 3, keys, 2)
  state.drop(reference)
  return typeof result === 'number' ? state.wire.toString('latin1', 0, result) : `${result.text} at ${result.place}`
}

t.test('arguments and results cross as RESP', async t => {
  const state = stateOf(() => '+PONG\r\n')
  t.equal(
    run(state, 'return {KEYS[1], ARGV[1], #KEYS, #ARGV}', ['k', 'a', 'b'], 1),
    '*4\r\n$1\r\nk\r\n$1\r\na\r\n:1\r\n:2\r\n',
  )
  t.equal(run(state, "return redis.call('PING')"), '+PONG\r\n')
  t.equal(run(state, 'return 1 +'), "user_script:1: unexpected symbol near '<eof>'")
  t.equal(run(state, "\nerror('x')"), 'ERR user_script:2: x at @user_script:2')
})

t.test('a call carries its arguments as a canonical request, and long ones and long replies pass', async t => {
  const seen: string[] = []
  const long = 'y'.repeat(300_000)
  const state = stateOf(command => {
    seen.push(command)
    return `$${long.length}\r\n${long}\r\n`
  })
  t.equal(run(state, "return #redis.call('ECHO', 1.5, 3, 'a b')"), `:${long.length}\r\n`)
  t.equal(seen[0], '*4\r\n$4\r\nECHO\r\n$3\r\n1.5\r\n$1\r\n3\r\n$3\r\na b\r\n')
  t.equal(run(state, "return redis.call('ECHO', ('x'):rep(200000))"), `$${long.length}\r\n${long}\r\n`)
  t.equal(seen[1].length, 200_000 + '*2\r\n$4\r\nECHO\r\n$200000\r\n\r\n'.length)
})

t.test('a callback that throws, or answers nonsense, is an error of the script', async t => {
  for (const serve of [
    () => {
      throw new Error('defect')
    },
    () => '$5\r\nab\r\n',
    () => '',
    () => '?1\r\n',
  ]) {
    const state = stateOf(serve)
    t.match(run(state, "return redis.call('PING')"), /^ERR internal error/)
    t.equal(run(state, 'return 1'), ':1\r\n')
  }
})

t.test('a script that wants too much memory is ended, and its memory is given back', async t => {
  const state = stateOf(() => '+OK\r\n', 16 * MIB)
  const greedy = "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1e5) .. i end"
  t.match(run(state, greedy), /^ERR not enough memory/)
  t.match(run(state, "return cjson.encode(('x'):rep(15e6))"), /^ERR not enough memory/)
  state.collect()
  t.ok(state.bytes < 2 * MIB, 'what it held is free')
  t.equal(run(state, 'return 1'), ':1\r\n')
})

t.test('errors in the middle of calls leave nothing behind', async t => {
  const state = stateOf(command => (command.includes('bad') ? '-ERR bad\r\n' : ':1\r\n'))
  const script = "for i = 1, 1000 do pcall(redis.call, 'bad', i) redis.pcall('bad') end return redis.call('good')"
  t.equal(run(state, script), ':1\r\n')
  state.collect()
  const before = state.bytes
  for (let i = 0; i < 50; i++) run(state, script)
  state.collect()
  t.ok(state.bytes <= before + 4096, `${state.bytes - before} bytes more`)
})
