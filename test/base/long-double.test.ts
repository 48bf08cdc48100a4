import t from 'tap'
import { LongDouble } from '../../src/base/long-double.js'
import { findRedisServer, startRedisServer } from '../support/redis-server.js'
import { RespClient } from '../support/resp-client.js'
import { seeded } from '../support/seeded.js'
import type { Seeded } from '../support/seeded.js'

const format = (text: string) => LongDouble.parse(text)?.format()
const sum = (a: string, b: string) => LongDouble.parse(a)!.plus(LongDouble.parse(b)!)

t.test('numbers are read and printed as a long double holds them', async t => {
  t.equal(format('3.0e3'), '3000')
  t.equal(format('0.1'), '0.1')
  t.equal(format('-1e-20'), '0')
  t.equal(format('0x1.8p1'), '3')
  t.equal(format('100000000000013000.1'), '100000000000013000.1015625')
  t.equal(format('1e4000')!.slice(0, 30), '999999999999999999996546387309')
  t.equal(sum('13000', '0.1').format(), '13000.09999999999999964')
})

t.test('what is no number is refused, what is infinite is told', async t => {
  for (const text of ['', ' 1', '1 ', '.', 'e5', '1e', 'nan', '0x', '1e5000', '1e-5000', '1'.repeat(5120), '1\0']) {
    t.equal(LongDouble.parse(text), undefined, text.slice(0, 20))
  }
  t.notOk(LongDouble.parse('-Inf')!.isFinite)
  t.notOk(sum('inf', '1').isFinite)
  t.notOk(sum('1.1e4932', '1.1e4932').isFinite)
  t.equal(sum('5', '-5').format(), '0')
})

function decimal(random: Seeded): string {
  const digits = (count: number) => Array.from({ length: count }, () => random.below(10)).join('')
  const sign = random.pick(['', '-', '+'])
  const fraction = random.chance(0.7) ? `.${digits(random.between(1, 20))}` : ''
  const exponent = random.chance(0.3) ? `e${random.between(-25, 25)}` : ''
  return `${sign}${digits(random.between(1, 20))}${fraction}${exponent}`
}

t.test('sums agree with INCRBYFLOAT of redis-server', { skip: findRedisServer() === undefined }, async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const redis = await startRedisServer()
  t.teardown(() => redis.stop())
  const client = await RespClient.connect(redis.port)
  t.teardown(() => client.close())
  for (let i = 0; i < 1500; i++) {
    const [a, b] = [decimal(random), decimal(random)]
    await client.command('SET', 'k', a)
    const reply = await client.text('INCRBYFLOAT', 'k', b)
    const text = sum(a, b).format()
    if (reply !== `$${text.length}\r\n${text}\r\n`) t.fail(`${a} + ${b}: ${text}, not ${reply}`)
  }
})
