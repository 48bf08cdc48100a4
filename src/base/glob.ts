// Redis' glob patterns: '*', '?', '[a-z]', '[^a-z]', '\' before a literal character. On latin1 strings: a character is
// a byte. Only the last star is ever retried, so the time is bounded by the product of the lengths, whatever the
// pattern.

const STAR = 42
const QUESTION = 63
const OPEN = 91
const CLOSE = 93
const CARET = 94
const BACKSLASH = 92
const HYPHEN = 45
const NO_MATCH = -1
/** A pattern that needs more of them matches nothing, as in Redis; so a client's nonsense costs little. */
const STARS_MAX = 1000

/** True when the whole of `text` matches. `ignoreCase` folds ASCII letters only. */
export function globMatch(pattern: string, text: string, ignoreCase = false): boolean {
  // Redis looks at no star when there is nothing to match: '*' does not match the empty string.
  if (text === '') return pattern === ''
  let at = 0
  let behindStar = -1
  let retryFrom = 0
  let stars = 0
  let i = 0
  while (i < text.length) {
    if (at < pattern.length && pattern.charCodeAt(at) === STAR) {
      at = skipStars(pattern, at)
      if (at === pattern.length) return true
      if (++stars > STARS_MAX) return false
      behindStar = at
      retryFrom = i
      continue
    }
    const next = at < pattern.length ? matchOne(pattern, at, text.charCodeAt(i), ignoreCase) : NO_MATCH
    if (next !== NO_MATCH) {
      at = next
      i++
      continue
    }
    // An earlier star need not take more: the last one could have taken whatever that would leave to it.
    if (behindStar < 0) return false
    at = behindStar
    i = ++retryFrom
  }
  return skipStars(pattern, at) === pattern.length
}

function skipStars(pattern: string, at: number): number {
  while (at < pattern.length && pattern.charCodeAt(at) === STAR) at++
  return at
}

/** Matches one character; returns where the pattern goes on, or NO_MATCH. */
function matchOne(pattern: string, at: number, c: number, ignoreCase: boolean): number {
  const p = pattern.charCodeAt(at)
  if (p === QUESTION) return at + 1
  if (p === OPEN) return matchClass(pattern, at + 1, c, ignoreCase)
  const literal = p === BACKSLASH && at + 1 < pattern.length ? at + 1 : at
  return same(pattern.charCodeAt(literal), c, ignoreCase) ? literal + 1 : NO_MATCH
}

/** As matchOne, for the class whose first character is at `at`. A class without its ']' ends with the pattern. */
function matchClass(pattern: string, at: number, c: number, ignoreCase: boolean): number {
  const negated = pattern.charCodeAt(at) === CARET
  if (negated) at++
  let found = false
  for (; at < pattern.length && pattern.charCodeAt(at) !== CLOSE; at++) {
    const p = pattern.charCodeAt(at)
    const left = pattern.length - at
    if (p === BACKSLASH && left >= 2) {
      at++
      if (pattern.charCodeAt(at) === c) found = true // no folding here, in Redis neither
    } else if (left >= 3 && pattern.charCodeAt(at + 1) === HYPHEN) {
      if (inRange(p, pattern.charCodeAt(at + 2), c, ignoreCase)) found = true
      at += 2
    } else if (same(p, c, ignoreCase)) found = true
  }
  if (found === negated) return NO_MATCH
  return Math.min(at + 1, pattern.length)
}

/** Either end may be the greater one. */
function inRange(a: number, b: number, c: number, ignoreCase: boolean): boolean {
  let low = signed(a)
  let high = signed(b)
  if (low > high) [low, high] = [high, low]
  if (ignoreCase) {
    low = fold(low)
    high = fold(high)
    c = fold(c)
  }
  const value = signed(c)
  return value >= low && value <= high
}

/** Bytes above 127 order below the others, as C's char does where Redis runs. */
function signed(c: number): number {
  return (c << 24) >> 24
}

function same(a: number, b: number, ignoreCase: boolean): boolean {
  return a === b || (ignoreCase && fold(a) === fold(b))
}

function fold(c: number): number {
  return c >= 65 && c <= 90 ? c + 32 : c
}

/** True when the pattern has no special character: it can only match itself. */
export function isLiteral(pattern: string): boolean {
  return !/[*?[\\]/.test(pattern)
}
