// Calls from Lua leave nothing behind: neither in Lua, nor in JavaScript, nor between. LEAK_CALLS calls (200,000;
// npm run test:long makes 10,000,000) of short, long, nested and failing replies.

import t from 'tap'
import { LuaState, Service } from '../../src/native/lua.js'
import { requestOf } from '../../src/resp/request.js'

const CALLS = Number(process.env.LEAK_CALLS ?? 200_000)
t.setTimeout(120_000 + CALLS / 10)

const MIB = 1024 * 1024
const CALLS_PER_RUN = 20_000
/** Heaps of JavaScript and malloc breathe by so much. */
const GROWTH_MAX = 48 * MIB

t.test(`${CALLS} calls leave the memory as it was`, async t => {
  const long = Buffer.from(`$100000\r\n${'x'.repeat(100_000)}\r\n`)
  const replies = ['+OK\r\n', ':1\r\n', '-ERR no\r\n', '*2\r\n$1\r\na\r\n*1\r\n:2\r\n', '$-1\r\n'].map(text =>
    Buffer.from(text),
  )
  let calls = 0
  const state: LuaState = LuaState.open(service => {
    if (service !== Service.Command) return 0
    calls++
    if (calls % 5000 === 0) return long
    return replies[calls % replies.length].copy(state.reply)
  }, 256 * MIB)!
  const source =
    `for i = 1, ${CALLS_PER_RUN / 2} do redis.pcall('SET', KEYS[1], i) pcall(redis.call, 'GET', KEYS[1], 1.5) end ` +
    `redis.pcall('SET', 'k', ('y'):rep(300000)) return {KEYS[1], {1, 2, {ok = 'x'}}}`
  const request = requestOf(['EVAL', 'x', '1', 'key'])
  const script = () => {
    const reference = state.compile(Buffer.from(source), 'script')
    state.run(reference as number, 'script', request.buffer, request.from, request.to, 3, 1, 2)
    state.drop(reference as number)
  }
  const settle = () => {
    state.collect()
    globalThis.gc?.()
    return { rss: process.memoryUsage.rss(), lua: state.bytes }
  }
  for (let i = 0; i < 5; i++) script()
  const before = settle()
  calls = 0
  while (calls < CALLS) script()
  const after = settle()
  t.comment(
    `${calls} calls: RSS ${before.rss / MIB} -> ${after.rss / MIB} MiB, Lua ${before.lua} -> ${after.lua} bytes`,
  )
  t.ok(after.rss - before.rss < GROWTH_MAX, 'memory of the process')
  t.ok(after.lua - before.lua < 4096, 'memory of Lua')
})
