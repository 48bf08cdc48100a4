// The first line of a script ('#!lua flags=no-writes') and of a library ('#!lua name=mylib'). Used by: script-host,
// function-libraries.

import { ReplyError } from '../base/errors.js'
import { SCRIPT_FLAG_NAMES } from '../commands/scripts.js'
import { splitInline } from '../resp/inline-request.js'

const SHEBANG = '#!'
const FLAGS = 'flags='
const NAME = 'name='

export interface ScriptHead {
  /** Where the code begins: at the line end of the shebang, so that lines keep their numbers. 0 without one. */
  readonly codeAt: number
  /** Undefined without a shebang: then the checks of scripts before Redis 7 apply. */
  readonly flags: number | undefined
}

/** @throws ReplyError for a shebang that says something unknown */
export function readScriptHead(source: string): ScriptHead {
  if (!source.startsWith(SHEBANG)) return { codeAt: 0, flags: undefined }
  const end = source.indexOf('\n')
  if (end < 0) throw new ReplyError('ERR Invalid script shebang')
  const [engine, ...options] = source.slice(0, end).split(' ')
  if (engine !== '#!lua') throw new ReplyError(`ERR Unexpected engine in script shebang: ${engine}`)
  let flags = 0
  for (const option of options) {
    if (option === '') continue
    if (!option.startsWith(FLAGS)) throw new ReplyError(`ERR Unknown lua shebang option: ${option}`)
    const names = option.slice(FLAGS.length)
    for (const name of names === '' ? [] : names.split(',')) {
      const flag = flagOf(name)
      if (flag === undefined) throw new ReplyError(`ERR Unexpected flag in script shebang: ${name}`)
      flags |= flag
    }
  }
  return { codeAt: end, flags }
}

export function flagOf(name: string): number | undefined {
  return SCRIPT_FLAG_NAMES.find(([, known]) => known === name)?.[0]
}

export interface LibraryHead {
  readonly name: string
  readonly engine: string
  readonly codeAt: number
}

/** @throws ReplyError when the line is missing or says something unknown */
export function readLibraryHead(code: string): LibraryHead {
  if (!code.startsWith(SHEBANG)) throw new ReplyError('ERR Missing library metadata')
  const end = code.indexOf('\n')
  if (end < 0) throw new ReplyError('ERR Invalid library metadata')
  const words = splitInline(code.slice(0, end))
  if (words === undefined || words.length === 0) throw new ReplyError('ERR Invalid library metadata')
  let name: string | undefined
  for (const word of words.slice(1)) {
    if (!word.toLowerCase().startsWith(NAME)) throw new ReplyError(`ERR Invalid metadata value given: ${word}`)
    if (name !== undefined) {
      throw new ReplyError('ERR Invalid metadata value, name argument was given multiple times')
    }
    name = word.slice(NAME.length)
  }
  if (name === undefined) throw new ReplyError('ERR Library name was not given')
  if (!isLibraryName(name)) throw new ReplyError(BAD_NAME)
  return { name, engine: words[0].slice(SHEBANG.length), codeAt: end }
}

export const BAD_NAME =
  'ERR Library names can only contain letters, numbers, or underscores(_) and must be at least one character long'

/** Also the rule for names of functions. */
export function isLibraryName(name: string): boolean {
  return /^\w+$/.test(name)
}
