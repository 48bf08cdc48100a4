// Redis' configuration file: lines into directives, quotes and escapes, include; and lines rewritten in place.
// Used by: config, command-line. Words are latin1 strings, one character per byte.

import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import { UsageError } from './errors.js'
import { globMatch } from './glob.js'

export interface Directive {
  /** Lower case. */
  readonly name: string
  readonly words: readonly string[]
  /** 'line 3 of /etc/millrace.conf', for messages. */
  readonly where: string
}

/** Files that include each other end here. */
const INCLUDE_DEPTH_MAX = 16

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' }

/** Splits a line at blanks; '…' and "…" hold them together. Undefined when quotes are not closed properly. */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = []
  let at = 0
  for (;;) {
    while (at < line.length && isBlank(line[at])) at++
    if (at === line.length) return words
    const quote = line[at]
    if (quote === '"' || quote === "'") {
      const quoted = readQuoted(line, at)
      if (quoted === undefined) return undefined
      words.push(quoted.word)
      at = quoted.end
    } else {
      const start = at
      while (at < line.length && !isBlank(line[at])) {
        if (line[at] === '"' || line[at] === "'") break
        at++
      }
      if (at < line.length && !isBlank(line[at])) {
        const quoted = readQuoted(line, at)
        if (quoted === undefined) return undefined
        words.push(line.slice(start, at) + quoted.word)
        at = quoted.end
      } else {
        words.push(line.slice(start, at))
      }
    }
  }
}

function isBlank(c: string): boolean {
  return c === ' ' || c === '\t' || c === '\r' || c === '\n' || c === '\v' || c === '\f' || c === '\0'
}

/** The quoted piece that begins at `at`. A closing quote must end the word. */
function readQuoted(line: string, at: number): { word: string; end: number } | undefined {
  const quote = line[at]
  let word = ''
  for (let i = at + 1; i < line.length; i++) {
    const c = line[i]
    if (c === quote) {
      const end = i + 1
      return end < line.length && !isBlank(line[end]) ? undefined : { word, end }
    }
    if (c !== '\\' || i + 1 === line.length) {
      word += c
    } else if (quote === "'") {
      if (line[i + 1] === "'") word += line[++i]
      else word += c
    } else if (/^x[0-9a-f]{2}/i.test(line.slice(i + 1, i + 4))) {
      word += String.fromCharCode(parseInt(line.slice(i + 2, i + 4), 16))
      i += 3
    } else {
      i++
      word += ESCAPES[line[i]] ?? line[i]
    }
  }
  return undefined
}

/** `word` as it must stand in a file to be read back. */
export function quoteWord(word: string): string {
  if (/^[\x21\x24-\x26\x28-\x5b\x5d-\x7e]+$/.test(word)) return word
  let out = '"'
  for (const c of word) {
    const code = c.charCodeAt(0)
    if (c === '"' || c === '\\') out += `\\${c}`
    else if (code < 0x20 || code > 0x7e) out += `\\x${code.toString(16).padStart(2, '0')}`
    else out += c
  }
  return `${out}"`
}

/** Directives of a file's text. `source` names it in messages. @throws UsageError */
export function readDirectives(text: string, source: string, depth = 0): Directive[] {
  const directives: Directive[] = []
  text.split('\n').forEach((line, i) => {
    if (isIdle(line)) return
    const where = `line ${i + 1} of ${source}`
    const words = splitWords(line)
    if (words === undefined) throw new UsageError(`${where}, '${line.trim()}': unbalanced quotes`)
    if (words.length === 0) return
    const name = words[0].toLowerCase()
    if (name !== 'include') directives.push({ name, words: words.slice(1), where })
    else directives.push(...includeFiles(words.slice(1), where, depth))
  })
  return directives
}

function isIdle(line: string): boolean {
  const trimmed = line.trim()
  return trimmed === '' || trimmed.startsWith('#')
}

function includeFiles(words: readonly string[], where: string, depth: number): Directive[] {
  if (words.length !== 1) throw new UsageError(`${where}: include takes one path`)
  if (depth === INCLUDE_DEPTH_MAX) throw new UsageError(`${where}: files include each other more than ${depth} deep`)
  return pathsOf(words[0]).flatMap(path => readDirectives(readConfigFile(path, where), path, depth + 1))
}

/** A path, or all that a pattern in its last part matches. */
function pathsOf(word: string): string[] {
  const path = Buffer.from(word, 'latin1').toString()
  const pattern = basename(path)
  if (!/[*?[]/.test(pattern)) return [path]
  const folder = dirname(path)
  try {
    return readdirSync(folder)
      .filter(name => globMatch(pattern, name))
      .sort()
      .map(name => join(folder, name))
  } catch {
    return []
  }
}

/** The text of a file, one character per byte. @throws UsageError */
export function readConfigFile(path: string, where = 'command line'): string {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    throw new UsageError(`${where}: cannot read the configuration file '${path}': ${systemReason(error)}`)
  }
}

/** What the system says, in the words of C's strerror as far as they differ in nothing but case. */
export function systemReason(error: unknown): string {
  const errno = (error as NodeJS.ErrnoException).errno
  const words = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]
  return words === undefined ? String(error) : words[0].toUpperCase() + words.slice(1)
}

const SIGNATURE = '# Generated by CONFIG REWRITE'

/**
 * The file's text with the directives of `wanted` in it. Comments, blank lines and order stay, and so do lines that say
 * the same already.
 * @param wanted lines per directive; an empty list removes the directive, an absent one leaves it alone
 * @param canonical the name behind an alias
 * @param same whether the old lines of a directive say what is wanted
 */
export function rewriteText(
  text: string,
  wanted: ReadonlyMap<string, readonly string[]>,
  canonical: (name: string) => string,
  same: (name: string, lines: readonly (readonly string[])[]) => boolean,
): string {
  const lines = text.split('\n')
  if (lines[lines.length - 1] === '') lines.pop()
  const found = new Map<string, { at: number; words: string[] }[]>()
  lines.forEach((line, at) => {
    const words = isIdle(line) ? undefined : splitWords(line)
    if (words === undefined || words.length === 0) return
    const name = canonical(words[0].toLowerCase())
    const places = found.get(name) ?? []
    places.push({ at, words: words.slice(1) })
    found.set(name, places)
  })
  const out: (string | undefined)[] = [...lines]
  const added: string[] = []
  for (const [name, next] of wanted) {
    const places = found.get(name) ?? []
    if (
      places.length > 0 &&
      same(
        name,
        places.map(place => place.words),
      )
    )
      continue
    places.forEach((place, i) => (out[place.at] = next[i]))
    added.push(...next.slice(places.length))
  }
  if (added.length > 0) {
    if (!lines.includes(SIGNATURE)) out.push('', SIGNATURE)
    out.push(...added)
  }
  return out.filter(line => line !== undefined).join('\n') + '\n'
}

/** Replaces a file as a whole: a crash leaves the old one or the new one. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.rewrite`
  const fd = openSync(draft, 'w', 0o644)
  try {
    writeSync(fd, text, null, 'latin1')
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(draft, path)
}
