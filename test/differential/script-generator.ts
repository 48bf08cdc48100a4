// Random Lua scripts that mean the same in Redis and here: no order of pairs, no length of tables with holes, no clock,
// no NaN, no numbers beyond 32 bits where a function wants an integer. A script is a list of lines, each whole by
// itself, so that a failing one can be shortened by leaving lines out. Variables have their kind in their name: n1 a
// number, s1 a string, t1 an array of both.

import type { Seeded } from '../support/seeded.js'

/** Begins every script: `show` writes any value, `out` is what the script returns, `try` notes results or the error. */
const PROLOGUE = [
  'local n1, n2, n3, s1, s2, s3 = 1, -7, 2.5, "a", "b c", ""',
  'local t1, t2 = {1, 2, 3}, {"x", "y"}',
  // Read from a table, so that neither compiler calculates with them: Lua 5.1 makes 0 of a constant -0.
  'local c = {0, 1, -1, 3.7, -2.5, 255, 65536, 1e12, 2^31, 2^53, 0.1}',
  'local out, show = {}, nil',
  `show = function(v)
  if type(v) == "number" then return v ~= v and "nan" or v == 0 and "0" or string.format("%.14g", v) end
  if type(v) == "string" then return string.format("%q", v) end
  if v == cjson.null then return "null" end
  if type(v) ~= "table" then return type(v) == "boolean" and tostring(v) or type(v) end
  local keys, shown = {}, {}
  for key in pairs(v) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, key in ipairs(keys) do shown[#shown + 1] = tostring(key) .. "=" .. show(v[key]) end
  return "{" .. table.concat(shown, ",") .. "}"
end`,
  'local function note(...) for i = 1, select("#", ...) do out[#out + 1] = show((select(i, ...))) end end',
  'local function try(f) note(pcall(f)) end',
]

/** Ends every script: what the variables hold, plainly, so that replies are converted too. */
const EPILOGUE = ['note(n1, n2, n3, s1, s2, s3, t1, t2)', 'return {out, n1, s1, t1, s2, n2 > 0, t2}']

/** How many numbers `c` holds. */
const CONSTANTS = 11
const KEYS = ['k1', 'k2', 'k3']
const STRINGS = [
  '',
  'a',
  'abc',
  'Hello World',
  '10',
  ' 7 ',
  '0x1F',
  '1e3 ',
  'a,b;c',
  'x\\0y',
  '\\255\\1',
  'é',
  '%d',
  '\\n',
]
const PATTERNS = [
  '%a+',
  '%d',
  '.',
  '[^%s]',
  '(%w)(%w?)',
  '^%s*',
  'b',
  '%s+$',
  '()',
  '%W',
  '[a-c]+',
  '.-c',
  'l+',
  '%bHd',
]
const FORMATS = ['%d', '%5.1f', '%s', '%q', '%x', '%-6s|', '%05d', '%g', '%c', '%%', '%i', '%10.3s', '%+d', '%e']

export class ScriptGenerator {
  constructor(private readonly rng: Seeded) {}

  /** The lines of a script; those that may be left out are [prologue, -epilogue). */
  next(): string[] {
    const count = this.rng.between(2, 14)
    return [...PROLOGUE, ...Array.from({ length: count }, () => this.#statement(2)), ...EPILOGUE]
  }

  #statement(depth: number): string {
    const { rng } = this
    const inner = () => this.#statement(depth - 1)
    if (depth === 0 || rng.chance(0.5)) return this.#plain()
    switch (rng.below(9)) {
      case 0:
        return `if ${this.#truth(2)} then ${inner()} else ${inner()} end`
      case 1:
        return `for i = 1, ${rng.between(0, 5)} do n1 = i ${inner()} end`
      case 2:
        return `try(function() ${inner()} ${inner()} return ${this.#any(2)} end)`
      case 3:
        return `do local i = 0 while i < ${rng.between(0, 4)} do i = i + 1 ${inner()} end end`
      case 4:
        return (
          `do local function f(x, ...) ${inner()} return ${this.#any(1)}, x, ... end ` +
          `note(f(${this.#any(1)}, 5)) end`
        )
      case 5:
        return `for w in (${this.#text(1)}):gmatch(${this.#pattern()}) do note(w) end`
      case 6:
        return `note(xpcall(function() ${inner()} error(${this.#any(1)}) end, function(e) return type(e) end))`
      case 7:
        return (
          `for v in coroutine.wrap(function() for i = 1, ${rng.between(0, 3)} do ${inner()} ` +
          `coroutine.yield(i) end end) ` +
          `do note(v) end`
        )
      default:
        return `try(function() error(${rng.pick([this.#any(1), this.#text(2), '{err = "MY text"}', 'nil'])}) end)`
    }
  }

  #plain(): string {
    const { rng } = this
    switch (rng.below(8)) {
      case 0:
      case 1:
        return `n${rng.between(1, 3)} = ${this.#number(3)}`
      case 2:
      case 3:
        return `s${rng.between(1, 3)} = (${this.#text(3)}):sub(1, 300)`
      case 4:
        return `t${rng.between(1, 2)} = ${this.#array(2)}`
      case 5:
        return `try(function() return ${this.#any(3)} end)`
      case 6:
        return `note(redis.pcall(${this.#command()}))`
      default:
        return `table.insert(t${rng.between(1, 2)}, ${this.#scalar(1)}) table.remove(t1, 1)`
    }
  }

  #any(depth: number): string {
    const { rng } = this
    return rng.pick([
      () => this.#number(depth),
      () => this.#text(depth),
      () => this.#array(depth),
      () => this.#truth(depth),
      () => 'nil',
      () => this.#wrong(depth),
      () => `redis.call(${this.#command()})`,
    ])()
  }

  /** What is an error, or converts by the skin of its teeth. */
  #wrong(depth: number): string {
    const [n, s, t] = [this.#number(depth - 1), this.#text(depth - 1), this.#array(depth - 1)]
    return this.rng.pick([
      `(${s}) + 1`,
      `(${s}) * (${n})`,
      `(${n}) .. (${s})`,
      `${t} .. ${this.rng.chance(0.5) ? t : `(${s})`}`,
      `#n1`,
      `-(${s})`,
      `(${n}) < (${s})`,
      `tonumber(${s}, ${this.rng.between(2, 36)})`,
      `string.rep(${s}, ${t})`,
      `math.floor(${s})`,
      `cjson.decode(${s})`,
      `(struct.unpack(${s}, ${s}))`,
      `(cmsgpack.unpack(${s}))`,
      `string.format(${s}, ${n})`,
      `string.char((${n}) % 300)`,
      `table.concat(${t}, ${n})`,
      `redis.call(${t})`,
      `redis.call()`,
      `redis.sha1hex()`,
      `(select((${n}) % 5 - 2, 1, 2))`,
      `bit.band(${s}, 1)`,
      `(unpack(${n}))`,
      `({})[nil]`,
    ])
  }

  #scalar(depth: number): string {
    return this.rng.chance(0.5) ? this.#number(depth) : this.#text(depth)
  }

  #number(depth: number): string {
    const { rng } = this
    if (depth <= 0 || rng.chance(0.3)) {
      return rng.chance(0.4) ? `n${rng.between(1, 3)}` : `c[${rng.between(1, CONSTANTS)}]`
    }
    const [a, b] = [this.#number(depth - 1), this.#number(depth - 1)]
    const s = this.#text(depth - 1)
    return rng.pick([
      () => `((${a}) ${rng.pick(['+', '-', '*'])} (${b}))`,
      () => `((${a}) ${rng.pick(['/ 4', '% 7', '% -3', '/ -0.5'])})`,
      () => `math.${rng.pick(['floor', 'ceil', 'abs'])}(${a})`,
      () => `math.${rng.pick(['max', 'min'])}(${a}, ${b})`,
      () => `math.fmod(${a}, ${rng.pick(['3', '7', '-2'])})`,
      () => `bit.${rng.pick(['band', 'bor', 'bxor'])}((${a}) % 2^31, (${b}) % 2^31)`,
      () => `bit.${rng.pick(['lshift', 'rshift', 'arshift', 'rol', 'ror'])}((${a}) % 2^31, ${rng.below(32)})`,
      () => `bit.${rng.pick(['bnot', 'bswap', 'tobit'])}((${a}) % 2^31)`,
      () => `#(${s})`,
      () => `(tonumber(${s}) or ${a})`,
      () => `(string.byte(${s}, ${rng.between(-2, 3)}) or 0)`,
      () => `(string.find(${s}, ${this.#pattern()}) or -1)`,
      () => `(select("#", ${a}, ${s}))`,
      () => `(select(2, string.gsub(${s}, ${this.#pattern()}, "x")))`,
      () => `(struct.unpack(">i4", struct.pack(">i4", (${a}) % 2^31)))`,
      () => `(cmsgpack.unpack(cmsgpack.pack(${a})))`,
    ])()
  }

  #text(depth: number): string {
    const { rng } = this
    if (depth <= 0 || rng.chance(0.3)) return rng.pick(['s1', 's2', 's3', `("${rng.pick(STRINGS)}")`])
    const [a, b] = [this.#text(depth - 1), this.#text(depth - 1)]
    const n = this.#number(depth - 1)
    return rng.pick([
      () => `((${a}) .. (${b}))`,
      () => `((${a}) .. string.format("%.10g", (${n}) % 1e9))`,
      () => `string.rep(${a}, ${rng.between(-1, 4)})`,
      () => `string.sub(${a}, ${rng.between(-5, 5)}, ${rng.between(-5, 9)})`,
      () => `string.${rng.pick(['upper', 'lower', 'reverse'])}(${a})`,
      () => `(string.gsub(${a}, ${this.#pattern()}, ${this.#replacement()}))`,
      () => `(string.match(${a}, ${this.#pattern()}) and "yes" or "no")`,
      () => `string.format("${rng.pick(FORMATS)}", ${n})`,
      () => `string.format("[%s]", ${a})`,
      () => `string.format("%q", ${a})`,
      () => `redis.sha1hex(${a})`,
      () => `cjson.encode(${rng.pick([a, this.#array(depth - 1), `{k = ${a}}`])})`,
      () => `cmsgpack.pack(${rng.pick([a, this.#array(depth - 1)])})`,
      () => `struct.pack("${rng.pick(['<I2', '<i4', 'b', 'B', '>d', '>f', 'h', 'L'])}", (${n}) % 100 + 128)`,
      () => `table.concat({${a}, ${b}, 5}, ",")`,
      () => `bit.tohex((${n}) % 2^31, ${rng.between(-8, 8)})`,
      () => `tostring(${rng.pick([this.#truth(1), 'nil', a])})`,
      () => `tostring(math.floor((${n}) % 1e9))`,
    ])()
  }

  #array(depth: number): string {
    const { rng } = this
    if (depth <= 0 || rng.chance(0.3)) return rng.pick(['t1', 't2', '{}'])
    const items = Array.from({ length: rng.between(0, 4) }, () => this.#scalar(depth - 1))
    return rng.pick([
      () => `{${items.join(', ')}}`,
      () => `{${items.join(', ')}, {${this.#scalar(0)}}}`,
      () => `cjson.decode(cjson.encode({1, ${this.#array(depth - 1)}}))`,
      () => `(cmsgpack.unpack(cmsgpack.pack({${this.#number(1)}, ${this.#array(depth - 1)}})))`,
      () => `{string.byte(${this.#text(1)}, 1, 3)}`,
      () => `{1, unpack({${items.join(', ')}})}`,
      () =>
        `(function() local t = {${items.map(() => this.#number(1)).join(', ')}} ` +
        `table.sort(t, function(a, b) return a ${rng.pick(['<', '>'])} b end) return t end)()`,
    ])()
  }

  #truth(depth: number): string {
    const { rng } = this
    if (depth <= 0) return rng.pick(['true', 'false', 'n1 > 0', 's1 == "a"'])
    const [a, b] = [this.#truth(depth - 1), this.#truth(depth - 1)]
    return rng.pick([
      `((${this.#number(1)}) ${rng.pick(['<', '<=', '>', '>=', '==', '~='])} (${this.#number(1)}))`,
      `((${this.#text(1)}) ${rng.pick(['<', '<=', '==', '~='])} (${this.#text(1)}))`,
      `not (${a})`,
      `((${a}) ${rng.pick(['and', 'or'])} (${b}))`,
      `type(${this.#scalar(1)}) == "number"`,
      `tonumber(${this.#text(1)}) == nil`,
    ])
  }

  #pattern(): string {
    return `"${this.rng.pick(PATTERNS)}"`
  }

  #replacement(): string {
    return this.rng.pick([
      '"<%0>"',
      '"%1"',
      '"-"',
      '{a = "A", b = false}',
      'string.upper',
      'function(c) return c and #tostring(c) end',
      '"%2"',
      'function() return nil end',
    ])
  }

  /** Arguments of redis.call. */
  #command(): string {
    const { rng } = this
    const key = `"${rng.pick(KEYS)}"`
    const [n, s] = [this.#number(1), this.#text(1)]
    return rng.pick([
      `"SET", ${key}, ${rng.chance(0.5) ? n : s}`,
      `"GET", ${key}`,
      `"DEL", ${key}`,
      `"INCRBY", ${key}, ${n}`,
      `"APPEND", ${key}, ${s}`,
      `"RPUSH", ${key}, ${s}, ${n}`,
      `"LRANGE", ${key}, 0, -1`,
      `"LPOP", ${key}`,
      `"HSET", ${key}, "f", ${s}`,
      `"HGET", ${key}, "f"`,
      `"ZADD", ${key}, ${n}, ${s}`,
      `"ZRANGE", ${key}, 0, -1, "WITHSCORES"`,
      `"SISMEMBER", ${key}, ${s}`,
      `"SADD", ${key}, ${s}`,
      `"EXISTS", ${key}`,
      `"TYPE", ${key}`,
      `"STRLEN", ${key}`,
      `"ECHO", ${s}`,
      `"PING"`,
      `"XADD", ${key}, "1-" .. math.floor((${n}) % 1000), "f", ${s}`,
      `"XRANGE", ${key}, "-", "+"`,
      `"GETRANGE", ${key}, ${rng.between(-3, 3)}, ${rng.between(-3, 9)}`,
      `"SETEX", ${key}, ${n}, ${s}`,
      `"nonsense", ${s}`,
      `"GET"`,
      `"SUBSCRIBE", ${key}`,
      `${s}, ${key}`,
    ])
  }
}

/** How many lines at the beginning and the end cannot be left out. */
export const FIXED_LINES = { prologue: PROLOGUE.length, epilogue: EPILOGUE.length } as const
