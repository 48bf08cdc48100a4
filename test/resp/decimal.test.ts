import t from 'tap'
import { digitsOf, putDecimal, u64Of } from '../../src/resp/decimal.js'

t.test('digits of a number are counted and written for every length', async t => {
  const bytes = Buffer.alloc(32)
  for (let power = 1; power <= 1e15; power *= 10) {
    for (const value of [power, power - 1, power * 9 + 1, Math.min(power * 9.87654321, Number.MAX_SAFE_INTEGER)]) {
      const whole = Math.floor(value)
      const digits = digitsOf(whole)
      t.equal(digits, String(whole).length)
      t.equal(putDecimal(bytes, 3, whole, digits), 3 + digits)
      t.equal(bytes.toString('latin1', 3, 3 + digits), String(whole))
    }
  }
})

t.test('a 64-bit number is a number up to 2^53 and text beyond', async t => {
  t.equal(u64Of(0x1fffff, 0xffffffff), Number.MAX_SAFE_INTEGER)
  t.equal(u64Of(0x200000, 1), '9007199254740993')
  t.equal(u64Of(0xffffffff, 0xffffffff), '18446744073709551615')
})
