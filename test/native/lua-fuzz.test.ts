// The edge between Lua and TypeScript under random load: scripts that run out of memory anywhere, replies that are
// nonsense, arguments that make no sense, damaged input to the decoders. Nothing may end the process, and the
// interpreter must work afterwards. FUZZ_RUNS scripts (500). `npm run build:debug` runs this under AddressSanitizer.

import t from 'tap'
import { addon } from '../../src/native/addon.js'
import { LuaState, Service } from '../../src/native/lua.js'
import { requestOf } from '../../src/resp/request.js'
import { ScriptGenerator } from '../differential/script-generator.js'
import { Seeded, seeded } from '../support/seeded.js'

const RUNS = Number(process.env.FUZZ_RUNS ?? 500)
t.setTimeout(120_000 + RUNS * 200)

const KIB = 1024

function run(state: LuaState, source: string | Buffer, args: readonly (string | Buffer)[] = []): string {
  const code = typeof source === 'string' ? Buffer.from(source, 'latin1') : source
  const reference = state.compile(code, 'script')
  if (typeof reference === 'string') return reference
  const request = requestOf(['EVAL', 'x', '0', ...args])
  const result = state.run(reference, 'script', request.buffer, request.from, request.to, 3, 0, 2)
  state.drop(reference)
  return typeof result === 'number' ? state.wire.toString('latin1', 0, result) : result.text
}

/** A reply: mostly RESP, sometimes cut short, with wrong lengths, or noise. */
function reply(rng: Seeded, depth: number): string {
  const number = () =>
    rng.pick(['0', '1', '-1', '3', '9223372036854775807', '-9223372036854775808', '99999999999', 'x'])
  const kind = rng.below(14)
  if (kind === 0)
    return `+${rng
      .bytes(rng.below(9))
      .toString('latin1')
      .replace(/[\r\n]/g, '')}\r\n`
  if (kind === 1) return '-ERR some error\r\n'
  if (kind === 2) return `:${number()}\r\n`
  if (kind === 3) return `$${number()}\r\nabc\r\n`
  if (kind === 4) return `,${rng.pick(['1.5', 'inf', 'nan', 'x', ''])}\r\n`
  if (kind === 5)
    return rng.pick(['_\r\n', '#t\r\n', '#\r\n', '(12345678901234567890\r\n', '=7\r\ntxt:abc\r\n', '=2\r\nab\r\n'])
  if (kind === 6) return rng.bytes(rng.below(30)).toString('latin1')
  if (kind === 7) return `${rng.pick(['*', '%', '~', '>', '|'])}${number()}\r\n`
  if (kind === 8 && depth < 3) return '*1\r\n'.repeat(rng.below(20_000))
  if (depth > 4 || kind === 9) {
    const bytes = rng.bytes(rng.pick([0, 1, 10, 100_000])).toString('latin1')
    return `$${bytes.length}\r\n${bytes}\r\n`
  }
  const count = rng.below(4)
  const type = rng.pick(['*', '%', '~', '|'])
  const items = type === '%' ? count * 2 : type === '|' ? count * 2 + 1 : count
  return `${type}${count}\r\n${Array.from({ length: items }, () => reply(rng, depth + 1)).join('')}`
}

t.test('scripts without memory, and with replies of any kind, leave a working interpreter', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  for (let i = 0; i < RUNS; i++) {
    const kib = rng.pick([400, 450, 500, 700, 1500, 8000])
    const state: LuaState | undefined = LuaState.open((service, _used) => {
      if (service !== Service.Command && service !== Service.Sha1) return 0
      if (rng.chance(0.02)) throw new Error('defect')
      const bytes = Buffer.from(rng.chance(0.5) ? '$3\r\nabc\r\n' : reply(rng, 0), 'latin1')
      return bytes.length > state!.reply.length ? bytes : bytes.copy(state!.reply)
    }, kib * KIB)
    if (state === undefined) continue // too little for the libraries themselves
    const generator = new ScriptGenerator(new Seeded(rng.below(2 ** 31)))
    for (let j = 0; j < 5; j++) {
      const lines = generator.next()
      if (rng.chance(0.3)) lines.splice(-2, 0, "local hog = {} for i = 1, 1e6 do hog[i] = ('x'):rep(i) end")
      if (rng.chance(0.2))
        lines.splice(-2, 0, "for i = 1, 50 do try(function() redis.call(unpack({'a', i, s1})) end) end")
      run(state, lines.join('\n'), [rng.bytes(rng.below(50)), 'a'])
    }
    state.collect()
    const answer = run(state, 'return 1')
    if (answer !== ':1\r\n') t.equal(answer, ':1\r\n', `run ${i}, ${kib} KiB, Lua holds ${state.bytes}`)
  }
  t.pass(`${RUNS} interpreters`)
})

t.test('decoders take any bytes', async t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const state = LuaState.open(() => 0, 64 * KIB * KIB)!
  const good = [
    run(state, 'return cmsgpack.pack({1, {a = {2.5, "x"}}, -70000, 2^40, ("y"):rep(300)}, nil, true)'),
    run(state, 'return cjson.encode({1, {a = {2.5, "x\\n\\255"}}, cjson.null, {}})'),
    run(state, 'return struct.pack(">i4sBc0d", 7, "abc", 3, "xyz", 1.5)'),
  ].map(bulk => bulk.slice(bulk.indexOf('\n') + 1, -2))
  const decoders = [
    'cmsgpack.unpack(ARGV[1])',
    'cmsgpack.unpack_limit(ARGV[1], 2, 1)',
    'cjson.decode(ARGV[1])',
    "struct.unpack('>i4sBc0d', ARGV[1])",
    'struct.unpack(ARGV[1], ARGV[1])',
    'struct.pack(ARGV[1], 1, 2, "x", 4)',
    'struct.size(ARGV[1])',
    'loadstring(ARGV[1])',
    'string.format(ARGV[1], 1, "x", 2.5, {}, nil)',
    'string.find(ARGV[1], ARGV[2])',
    'string.gsub(ARGV[2], ARGV[1], ARGV[2])',
  ]
  for (let i = 0; i < RUNS * 4; i++) {
    const damaged = (): Buffer => {
      const bytes = Buffer.from(rng.pick(good), 'latin1').subarray(0, rng.chance(0.3) ? rng.below(60) : undefined)
      for (let k = rng.below(4); k > 0 && bytes.length > 0; k--) bytes[rng.below(bytes.length)] = rng.below(256)
      return rng.chance(0.2) ? rng.bytes(rng.below(40)) : bytes
    }
    run(state, `return {pcall(function() return ${rng.pick(decoders)} end)}`, [damaged(), damaged()])
    // A script is bytes of anybody, too.
    if (i % 8 === 0) run(state, damaged())
  }
  t.equal(run(state, 'return 1'), ':1\r\n')
})

t.test('the addon refuses handles and places that make no sense', async t => {
  if (addon === undefined) return void t.comment('no addon')
  const wire = Buffer.from('*4\r\n$4\r\nEVAL\r\n$1\r\nx\r\n$1\r\n1\r\n$1\r\nk\r\n')
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const handle = addon.luaOpen((_service, _used, _buffer) => 0, Buffer.alloc(64 * KIB), 8 * KIB * KIB, 0)
  const reference = addon.luaCompile(handle, Buffer.from('return {KEYS, ARGV}'), 0)
  const odd = () =>
    rng.pick([0, 1, -1, 3, 7, 10, wire.length, wire.length + 1, 2 ** 31, -(2 ** 31), 2 ** 53, NaN, 1e300])
  for (let i = 0; i < RUNS; i++) {
    addon.luaRun(handle, rng.chance(0.8) ? reference : odd(), wire, odd(), odd(), odd(), odd(), odd())
    const bytes = rng.bytes(40)
    addon.luaRun(handle, reference, bytes, 0, rng.below(40), rng.below(5), rng.below(5), rng.below(4))
  }
  t.ok(addon.luaRun(handle, reference, wire, 0, wire.length, 3, 1, 0) > 0)
  for (const wrong of [undefined, null, 1, 'x', {}, Buffer.alloc(4)]) {
    t.doesNotThrow(() => addon!.luaRun(wrong, 0, wire, 0, wire.length, 3, 1, 0))
    t.doesNotThrow(() => addon!.luaTidy(wrong, 1))
    t.doesNotThrow(() => addon!.luaDrop(wrong, 1))
  }
})
