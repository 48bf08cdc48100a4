// Replies of one connection in RESP2 or RESP3. The two protocols differ here and nowhere else. The bytes are kept by
// output-pieces.ts; the connection takes them from there.

import { assert } from '../base/assert.js'
import { formatDouble } from '../base/numbers.js'
import { digitsOf, u64Of } from './decimal.js'
import { OutputPieces } from './output-pieces.js'
import type { Reply } from './reply.js'

const PLUS = 43
const MINUS = 45
const COLON = 58
const DOLLAR = 36
const STAR = 42
const PERCENT = 37
const TILDE = 126
const GREATER = 62
const UNDERSCORE = 95
const HASH = 35
const COMMA = 44
const ROUND = 40
const EQUALS = 61
const BAR = 124

export class ReplyWriter extends OutputPieces implements Reply {
  /** Changed by HELLO and RESET; what is written afterwards follows it. */
  protocol: 2 | 3 = 2

  status(text: string): void {
    this.line(PLUS, text)
  }

  ok(): void {
    this.line(PLUS, 'OK')
  }

  error(text: string): void {
    this.line(MINUS, text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text)
  }

  integer(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER) this.header(COLON, value)
    else this.line(COLON, String(value))
  }

  bulk(bytes: Uint8Array): void {
    this.header(DOLLAR, bytes.length)
    this.bytesBody(bytes)
  }

  latin1(text: string): void {
    this.header(DOLLAR, text.length)
    this.textBody(text)
  }

  nullBulk(): void {
    if (this.protocol === 2) this.line(DOLLAR, '-1')
    else this.line(UNDERSCORE, '')
  }

  nullArray(): void {
    if (this.protocol === 2) this.line(STAR, '-1')
    else this.line(UNDERSCORE, '')
  }

  array(length: number): void {
    this.header(STAR, length)
  }

  map(pairs: number): void {
    if (this.protocol === 2) this.header(STAR, pairs * 2)
    else this.header(PERCENT, pairs)
  }

  set(length: number): void {
    this.header(this.protocol === 2 ? STAR : TILDE, length)
  }

  push(length: number): void {
    this.header(this.protocol === 2 ? STAR : GREATER, length)
  }

  boolean(value: boolean): void {
    if (this.protocol === 2) this.header(COLON, value ? 1 : 0)
    else this.line(HASH, value ? 't' : 'f')
  }

  double(value: number): void {
    const text = formatDouble(value)
    if (this.protocol === 2) this.latin1(text)
    else this.line(COMMA, text)
  }

  bigNumber(value: bigint): void {
    if (this.protocol === 2) this.latin1(String(value))
    else this.line(ROUND, String(value))
  }

  verbatim(format: string, text: string): void {
    assert(format.length === 3, 'a verbatim format has three letters')
    if (this.protocol === 2) return this.latin1(text)
    this.header(EQUALS, text.length + 4)
    this.textBody(`${format}:${text}`)
  }

  attribute(pairs: number): void {
    assert(this.protocol === 3, 'RESP2 has no attributes')
    this.header(BAR, pairs)
  }

  streamId(id: { msHi: number; msLo: number; seqHi: number; seqLo: number }): void {
    const ms = u64Of(id.msHi, id.msLo)
    const seq = u64Of(id.seqHi, id.seqLo)
    if (typeof ms === 'string' || typeof seq === 'string') return this.latin1(`${ms}-${seq}`)
    const msDigits = digitsOf(ms)
    const seqDigits = digitsOf(seq)
    this.header(DOLLAR, msDigits + 1 + seqDigits)
    this.pairBody(ms, msDigits, seq, seqDigits)
  }

  deferArray(): number {
    return this.defer()
  }

  endArray(token: number, length: number): void {
    this.endDeferred(token, STAR, length)
  }

  deferMap(): number {
    return this.defer()
  }

  endMap(token: number, pairs: number): void {
    if (this.protocol === 2) this.endDeferred(token, STAR, pairs * 2)
    else this.endDeferred(token, PERCENT, pairs)
  }
}
