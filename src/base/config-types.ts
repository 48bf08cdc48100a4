// The kinds of configuration values: how each is read from words, printed by CONFIG GET and described in the
// documentation. Used by: config-options (the table), config. Knows nothing of a particular option.
//
// Invariant: parse([format(value)]) gives the value back, so that everything CONFIG GET says can be SET.

/** Why a value was refused; the words of CONFIG SET's reply. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
}

export interface OptionType<V> {
  /** For documentation and messages: 'yes or no', 'integer between 0 and 65535' … */
  readonly description: string
  /** Takes several words, split at spaces when they come as one; others take exactly one. */
  readonly words: boolean
  /**
   * @param previous the value before; kinds made of several parts (client-output-buffer-limit) keep what is not named
   * @throws OptionError
   */
  parse(words: readonly string[], previous: V): V
  format(value: V): string
}

const SAFE_MAX = Number.MAX_SAFE_INTEGER
export const INT32_MAX = 2147483647
const INT64_MAX = 9223372036854775807n
const UINT64_MAX = 18446744073709551615n

/** Numbers beyond 2^53 lose low bits; the two limits that Redis' defaults and users name are printed as they are. */
function printWhole(value: number): string {
  if (Math.abs(value) <= SAFE_MAX) return String(value)
  return value >= Number(UINT64_MAX)
    ? String(UINT64_MAX)
    : value >= Number(INT64_MAX)
      ? String(INT64_MAX)
      : String(BigInt(value))
}

function parseDecimal(text: string): number | undefined {
  if (!/^-?(0|[1-9]\d{0,18})$/.test(text) || text === '-0') return undefined
  const exact = BigInt(text)
  return exact > INT64_MAX || exact < -INT64_MAX - 1n ? undefined : Number(exact)
}

export function yesNo(): OptionType<boolean> {
  return {
    description: 'yes or no',
    words: false,
    parse([text]) {
      const word = text.toLowerCase()
      if (word !== 'yes' && word !== 'no') throw new OptionError("argument must be 'yes' or 'no'")
      return word === 'yes'
    },
    format: value => (value ? 'yes' : 'no'),
  }
}

export function integer(min: number, max: number): OptionType<number> {
  return {
    description: `integer from ${printWhole(min)} to ${printWhole(max)}`,
    words: false,
    parse([text]) {
      const value = parseDecimal(text)
      if (value === undefined) throw new OptionError("argument couldn't be parsed into an integer")
      return within(value, min, max)
    },
    format: printWhole,
  }
}

/** Integer without a bound but that of a signed 64-bit number. */
export function count(min = 0): OptionType<number> {
  return integer(min, Number(INT64_MAX))
}

function within(value: number, min: number, max: number): number {
  if (value < min || value > max) {
    throw new OptionError(`argument must be between ${printWhole(min)} and ${printWhole(max)} inclusive`)
  }
  return value
}

const UNITS: Record<string, number> = {
  '': 1,
  b: 1,
  k: 1e3,
  kb: 1024,
  m: 1e6,
  mb: 1024 ** 2,
  g: 1e9,
  gb: 1024 ** 3,
}

/** Bytes in '10mb', '10M', '10'; undefined when it is none. The empty text is 0, as Redis has it. */
export function parseMemory(text: string): number | undefined {
  const found = /^(\d*)([a-z]*)$/i.exec(text)
  const unit = found === null ? undefined : UNITS[found[2].toLowerCase()]
  if (found === null || unit === undefined) return undefined
  return Math.min(Number(found[1]) * unit, Number(UINT64_MAX))
}

export function memory(min = 0, max = Number(INT64_MAX)): OptionType<number> {
  return {
    description: 'bytes, or a number with kb, mb, gb (k, m, g count in thousands)',
    words: false,
    parse([text]) {
      const value = parseMemory(text)
      if (value === undefined) throw new OptionError('argument must be a memory value')
      return within(value, min, max)
    },
    format: printWhole,
  }
}

/** Bytes, or a percentage kept as its negative. */
export function memoryOrPercent(): OptionType<number> {
  return {
    description: 'bytes as above, or a percentage of maxmemory such as 5%',
    words: false,
    parse([text]) {
      if (/^\d+%$/.test(text)) {
        const percent = Number(text.slice(0, -1))
        if (percent > 100) throw new OptionError('percentage argument must be less or equal to 100')
        return percent === 0 ? 0 : -percent
      }
      const value = parseMemory(text)
      if (value === undefined) throw new OptionError('argument must be a memory or percent value')
      return value
    },
    format: value => (value < 0 ? `${-value}%` : printWhole(value)),
  }
}

export function oneOf<const W extends string>(...choices: readonly W[]): OptionType<W> {
  return {
    description: `one of ${choices.join(', ')}`,
    words: false,
    parse([text]) {
      const found = choices.find(choice => choice === text.toLowerCase())
      if (found === undefined) throw notOneOf(choices)
      return found
    },
    format: value => value,
  }
}

/** A set of words; the first choice stands for the empty set and is never mixed with others. */
export function someOf<const W extends string>(...choices: readonly W[]): OptionType<readonly W[]> {
  return {
    description: `${choices[0]}, or several of ${choices.slice(1).join(', ')}`,
    words: true,
    parse(words) {
      if (words.length === 0) throw notOneOf(choices)
      const lower = words.map(word => word.toLowerCase())
      if (!lower.every(word => choices.some(choice => choice === word))) throw notOneOf(choices)
      return choices.filter((choice, i) => i > 0 && lower.includes(choice))
    },
    format: value => (value.length === 0 ? choices[0] : value.join(' ')),
  }
}

function notOneOf(choices: readonly string[]): OptionError {
  return new OptionError(`argument(s) must be one of the following: ${choices.join(', ')}`)
}

/** Any text. `check` returns why it is refused. */
export function text(check?: (value: string) => string | undefined): OptionType<string> {
  return {
    description: 'text',
    words: false,
    parse([value]) {
      const refusal = check?.(value)
      if (refusal !== undefined) throw new OptionError(refusal)
      return value
    },
    format: value => value,
  }
}

export function octal(max: number): OptionType<number> {
  return {
    description: 'octal number',
    words: false,
    parse([value]) {
      if (!/^[0-7]{1,8}$/.test(value)) throw new OptionError("argument couldn't be parsed as an octal number")
      return within(parseInt(value, 8), 0, max)
    },
    format: value => value.toString(8),
  }
}

/** Several words, kept as they are. */
export function list(description: string, max: number): OptionType<readonly string[]> {
  return {
    description,
    words: true,
    parse(words) {
      if (words.length > max) throw new OptionError('Too many bind addresses specified.')
      return words.filter(word => word !== '')
    },
    format: value => value.join(' '),
  }
}

/** A path in the file system: bytes in UTF-8, while words travel as latin1 strings. */
export function path(): OptionType<string> {
  return {
    description: 'path',
    words: false,
    parse: ([word]) => Buffer.from(word, 'latin1').toString(),
    format: value => Buffer.from(value).toString('latin1'),
  }
}
