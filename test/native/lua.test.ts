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

t.test('calls from C nest as deep as in Lua 5.1, so that the stack of the process never ends', async t => {
  const state = stateOf(() => ':1\r\n')
  const deep: Record<string, string> = {
    pcall: 'local function f() local _, e = pcall(f) return e end return f()',
    xpcall: 'local function f() local _, e = xpcall(f, tostring) return e end return f()',
    gsub: "local function f() return (('x'):gsub('x', f)) end local _, e = pcall(f) return e",
    'gsub with a table':
      "local t t = setmetatable({}, {__index = function() return (('x'):gsub('x', t)) end}) " +
      "local _, e = pcall(string.gsub, 'x', 'x', t) return e",
    sort: 'local function f() table.sort({1, 2}, f) end local _, e = pcall(f) return e',
    'sort of objects':
      'local m = {} function m.__lt() table.sort({setmetatable({}, m), setmetatable({}, m)}) end ' +
      'local _, e = pcall(m.__lt) return e',
    coroutines: 'local function f() local _, e = coroutine.resume(coroutine.create(f)) return e end return f()',
    wrapped:
      'local function f() local r = coroutine.wrap(f)() return r end local _, e = pcall(f) return e:match("C .*")',
    load: 'local function f() load(f) end local _, e = pcall(f) return e',
    foreach: 'local function f() table.foreach({1}, f) end local _, e = pcall(f) return e',
    foreachi: 'local function f() table.foreachi({1}, f) end local _, e = pcall(f) return e',
  }
  for (const [kind, script] of Object.entries(deep)) t.match(run(state, script), /C stack overflow\r\n$/, kind)
  t.equal(run(state, 'return 1'), ':1\r\n')
})

t.test('calls work however deep a script is, and the depth is that of each run', async t => {
  const state = stateOf(() => '+PONG\r\n')
  const deep = `local n = 0
    local function f() n = n + 1 if n < 190 then return select(2, pcall(f)) end return redis.call('PING') end
    return f()`
  for (let i = 0; i < 3; i++) t.equal(run(state, deep), '+PONG\r\n')
  const gsub = `local n = 0
    local function f() n = n + 1 if n < 40 then return (('x'):gsub('x', f)) end return redis.call('PING').ok end
    return f()`
  t.equal(run(state, gsub), '$4\r\nPONG\r\n')
  t.match(run(state, "error('x')"), /x/)
  t.equal(run(state, deep), '+PONG\r\n')
})

t.test('members are written in an order that the keys alone decide', async t => {
  const script = "local t = {} for i = 1, 40 do t[i % 2 == 0 and i * 3 or 'k' .. i] = i end return cjson.encode(t)"
  const first = run(
    stateOf(() => ''),
    script,
  )
  for (let i = 0; i < 3; i++)
    t.equal(
      run(
        stateOf(() => ''),
        script,
      ),
      first,
      'in another interpreter',
    )
  t.equal(
    run(
      stateOf(() => ''),
      'return cjson.encode({x = 1, y = 2})',
    ),
    '$13\r\n{"y":2,"x":1}\r\n',
    'as Lua 5.1',
  )
})

t.test('getfenv, setfenv and newproxy are there when they are wanted', async t => {
  const state = LuaState.open(() => 0, 64 * MIB, true)!
  t.equal(run(state, 'return getfenv(type) == _G and getfenv(pairs) == _G and getfenv(0) == _G'), ':1\r\n')
  t.equal(run(state, 'local f = function() return x end setfenv(f, {x = 7}) return f()'), ':7\r\n')
  t.match(run(state, 'setfenv(0, {})'), /cannot change environment/)
  t.match(run(state, 'setfenv(pairs, {})'), /cannot change environment/)
  t.match(run(state, 'getfenv(string.gsub).x = 1 return tostring(x)'), /nonexistent global variable 'x'/)
  t.equal(run(state, 'return type(newproxy(true))'), '$8\r\nuserdata\r\n')
})
