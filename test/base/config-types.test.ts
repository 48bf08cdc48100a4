import t from 'tap'
import {
  count,
  integer,
  memory,
  memoryOrPercent,
  octal,
  oneOf,
  parseMemory,
  someOf,
  yesNo,
} from '../../src/base/config-types.js'
import type { OptionType } from '../../src/base/config-types.js'

function refused<V>(type: OptionType<V>, word: string, previous: V): string {
  try {
    type.parse([word], previous)
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

t.test('memory units are read as Redis reads them', async t => {
  const rows: [string, number | undefined][] = [
    ['10', 10],
    ['10b', 10],
    ['10k', 10_000],
    ['10KB', 10_240],
    ['1m', 1_000_000],
    ['1mb', 1_048_576],
    ['2G', 2e9],
    ['2gb', 2_147_483_648],
    ['', 0],
    ['10kk', undefined],
    ['1.5gb', undefined],
    ['-1', undefined],
    ['abc', undefined],
  ]
  for (const [text, bytes] of rows) t.equal(parseMemory(text), bytes, text)
})

t.test('integers keep their range and print the limits of 64 bits', async t => {
  t.equal(integer(0, 10).parse(['7'], 0), 7)
  t.equal(refused(integer(0, 10), '11', 0), 'argument must be between 0 and 10 inclusive')
  for (const bad of ['abc', '', ' 5', '5 ', '0x10', '05', '-0', '9999999999999999999999']) {
    t.equal(refused(integer(0, 10), bad, 0), "argument couldn't be parsed into an integer", bad)
  }
  t.equal(refused(count(), '-1', 0), 'argument must be between 0 and 9223372036854775807 inclusive')
  t.equal(count().format(count().parse(['9223372036854775807'], 0)), '9223372036854775807')
  t.equal(memory(0, 2 ** 64).format(memory(0, 2 ** 64).parse(['18446744073709551615'], 0)), '18446744073709551615')
})

t.test('words are refused with Redis own reason', async t => {
  t.equal(refused(yesNo(), 'maybe', true), "argument must be 'yes' or 'no'")
  t.equal(yesNo().parse(['YES'], false), true)
  const level = oneOf('debug', 'notice')
  t.equal(refused(level, 'loud', 'debug'), 'argument(s) must be one of the following: debug, notice')
  t.equal(level.parse(['NOTICE'], 'debug'), 'notice')
  const signals = someOf('default', 'save', 'nosave', 'now')
  t.equal(signals.format(signals.parse(['now', 'save'], [])), 'save now')
  t.equal(signals.format(signals.parse(['default'], [])), 'default')
  t.equal(refused(signals, 'x', []), 'argument(s) must be one of the following: default, save, nosave, now')
})

t.test('percentages and octal numbers come back as they went in', async t => {
  const share = memoryOrPercent()
  t.equal(share.format(share.parse(['5%'], 0)), '5%')
  t.equal(share.format(share.parse(['5mb'], 0)), '5242880')
  t.equal(refused(share, '101%', 0), 'percentage argument must be less or equal to 100')
  t.equal(refused(share, '1.5%', 0), 'argument must be a memory or percent value')
  t.equal(octal(0o777).parse(['755'], 0), 0o755)
  t.equal(octal(0o777).format(0o755), '755')
})
