// Redis' glob patterns over latin1 strings: KEYS, SCAN MATCH, CONFIG GET, PSUBSCRIBE and the like.
//
// '*' any run, '?' any one character, '[a-z]' and '[^abc]' classes, '\' takes the next character as it is. A class that
// is not closed ends with the pattern. Time is O(pattern x text) at worst: only the last '*' is ever tried again, which is
// enough because an earlier one could match no more than the later one can.

const STAR = 0x2a
const QUESTION = 0x3f
const OPEN = 0x5b
const CLOSE = 0x5d
const CARET = 0x5e
const DASH = 0x2d
const BACKSLASH = 0x5c

export function globMatch(pattern: string, text: string, ignoreCase = false): boolean {
  const p = ignoreCase ? pattern.toLowerCase() : pattern
  const s = ignoreCase ? text.toLowerCase() : text
  let pi = 0
  let si = 0
  let starAt = -1
  let starText = 0
  for (;;) {
    if (pi < p.length && p.charCodeAt(pi) === STAR) {
      starAt = pi++
      starText = si
      continue
    }
    if (si === s.length) return pi === p.length
    const next = pi < p.length ? matchOne(p, pi, s.charCodeAt(si)) : -1
    if (next >= 0) {
      pi = next
      si++
    } else if (starAt >= 0) {
      pi = starAt + 1
      si = ++starText
    } else {
      return false
    }
  }
}

/** The position behind the pattern element at `pi` when it matches `c`, else -1. */
function matchOne(p: string, pi: number, c: number): number {
  const head = p.charCodeAt(pi)
  if (head === QUESTION) return pi + 1
  if (head === OPEN) return matchClass(p, pi + 1, c)
  if (head === BACKSLASH && pi + 1 < p.length) return p.charCodeAt(pi + 1) === c ? pi + 2 : -1
  return head === c ? pi + 1 : -1
}

function matchClass(p: string, start: number, c: number): number {
  let pi = start
  const negated = p.charCodeAt(pi) === CARET
  if (negated) pi++
  let found = false
  for (; pi < p.length && p.charCodeAt(pi) !== CLOSE; pi++) {
    if (p.charCodeAt(pi) === BACKSLASH && pi + 1 < p.length) {
      pi++
      if (p.charCodeAt(pi) === c) found = true
    } else if (p.charCodeAt(pi + 1) === DASH && pi + 2 < p.length) {
      const a = p.charCodeAt(pi)
      const b = p.charCodeAt(pi + 2)
      if (a <= b ? c >= a && c <= b : c >= b && c <= a) found = true
      pi += 2
    } else if (p.charCodeAt(pi) === c) {
      found = true
    }
  }
  return found === negated ? -1 : Math.min(pi + 1, p.length)
}

/** True when the pattern has no special character: it can only match itself. */
export function isLiteral(pattern: string): boolean {
  return !/[*?[\\]/.test(pattern)
}
