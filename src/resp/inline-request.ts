// Commands typed as a line of text ('SET key "a value"'), as people do through telnet. Rare, so strings are good
// enough: latin1, one character per byte.

import { hexDigit } from '../base/numbers.js'

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' }

/**
 * The arguments of a line without its end; none for a blank line; undefined for unbalanced quotes. Double quotes know
 * \xHH, \n, \r, \t, \b, \a; single quotes know \'; a closing quote must be followed by a space or by the end.
 */
export function splitInline(line: string): string[] | undefined {
  const args: string[] = []
  let at = 0
  for (;;) {
    while (at < line.length && isSpace(line[at])) at++
    if (at === line.length) return args
    let arg = ''
    while (at < line.length && !endsArgument(line[at])) {
      const quote = line[at]
      if (quote !== '"' && quote !== "'") {
        arg += line[at++]
        continue
      }
      const close = closingQuote(line, at)
      if (close < 0 || (close + 1 < line.length && !isSpace(line[close + 1]))) return undefined
      arg += unescape(line, at + 1, close, quote)
      at = close + 1
      break
    }
    args.push(arg)
  }
}

function closingQuote(line: string, open: number): number {
  const quote = line[open]
  for (let i = open + 1; i < line.length; i++) {
    if (line[i] === quote) return i
    // Inside single quotes a backslash means itself unless a quote follows.
    if (line[i] === '\\' && i + 1 < line.length && (quote === '"' || line[i + 1] === "'")) i++
  }
  return -1
}

function unescape(line: string, from: number, to: number, quote: string): string {
  let text = ''
  for (let i = from; i < to; i++) {
    if (line[i] !== '\\' || i + 1 >= to) text += line[i]
    else if (quote === "'") text += line[i + 1] === "'" ? line[++i] : line[i]
    else if (line[i + 1] === 'x' && i + 3 < to && isHex(line, i + 2) && isHex(line, i + 3)) {
      text += String.fromCharCode(hexDigit(line.charCodeAt(i + 2)) * 16 + hexDigit(line.charCodeAt(i + 3)))
      i += 3
    } else {
      i++
      text += ESCAPES[line[i]] ?? line[i]
    }
  }
  return text
}

function isHex(line: string, at: number): boolean {
  return hexDigit(line.charCodeAt(at)) >= 0
}

function isSpace(c: string): boolean {
  return c === ' ' || (c >= '\t' && c <= '\r')
}

/** Vertical tab and form feed separate arguments only where one may begin. */
function endsArgument(c: string): boolean {
  return c === ' ' || c === '\t' || c === '\r' || c === '\n'
}
