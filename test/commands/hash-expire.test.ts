import t from 'tap'
import { hashCommands } from '../../src/commands/hash-commands.js'
import { keyCommands } from '../../src/commands/key-commands.js'
import { FakeContext } from '../support/fake-context.js'

const NOW_S = 1_700_000_000
const NOW_MS = NOW_S * 1000

function setUp() {
  const ctx = new FakeContext([...hashCommands, ...keyCommands])
  ctx.ask('HSET', 'h', 'a', '1', 'b', '2', 'c', '3')
  /** Integers of the reply, or its error. */
  const ask = (line: string): number[] | string => {
    const text = ctx.ask(...line.split(' '))
    return text.startsWith('*') ? [...text.matchAll(/^:(-?\d+)\r$/gm)].map(found => Number(found[1])) : text.trimEnd()
  }
  return { ctx, ask }
}

t.test('times are set, told in every unit and taken away', async t => {
  const { ask, ctx } = setUp()
  t.same(ask('HEXPIRE h 10 FIELDS 3 a none b'), [1, -2, 1])
  t.same(ctx.effects, [`HPEXPIREAT h ${NOW_MS + 10_000} FIELDS 2 a b`])
  t.same(ctx.notices, ['hexpire h'])
  t.same(ask('HTTL h FIELDS 4 a b c none'), [10, 10, -1, -2])
  t.same(ask('HPTTL h FIELDS 1 a'), [10_000])
  t.same(ask('HEXPIRETIME h FIELDS 1 a'), [NOW_S + 10])
  t.same(ask('HPEXPIRETIME h FIELDS 1 b'), [NOW_MS + 10_000])
  t.same(ask('HPEXPIRE h 1500 FIELDS 1 a'), [1])
  t.same(ask('HTTL h FIELDS 1 a'), [2], 'rounded up')
  t.same(ask(`HEXPIREAT h ${NOW_S + 7} FIELDS 1 a`), [1])
  t.same(ask(`HPEXPIREAT h ${NOW_MS + 7001} FIELDS 1 b`), [1])
  t.same(ask('HPTTL h FIELDS 2 a b'), [7000, 7001])
  t.same(ask('HPERSIST h FIELDS 3 a c none'), [1, -1, -2])
  t.same(ctx.notices, ['hpersist h'])
  t.same(ask('HTTL h FIELDS 2 a b'), [-1, 8])
  t.same(ask('HPERSIST h FIELDS 1 a'), [-1])
  t.same(ctx.effects, [])
})

t.test('NX, XX, GT and LT', async t => {
  const { ask } = setUp()
  t.same(ask('HEXPIRE h 10 XX FIELDS 1 a'), [0])
  t.same(ask('HEXPIRE h 10 GT FIELDS 1 a'), [0], 'none is later than never')
  t.same(ask('HEXPIRE h 10 nx FIELDS 1 a'), [1])
  t.same(ask('HEXPIRE h 20 NX FIELDS 1 a'), [0])
  t.same(ask('HEXPIRE h 10 GT FIELDS 1 a'), [0])
  t.same(ask('HEXPIRE h 11 GT FIELDS 1 a'), [1])
  t.same(ask('HEXPIRE h 11 LT FIELDS 1 a'), [0])
  t.same(ask('HEXPIRE h 9 lt fields 2 a b'), [1, 1], 'and all is sooner than never')
  t.same(ask('HEXPIRE h 30 XX FIELDS 1 a'), [1])
  t.same(ask('HTTL h FIELDS 3 a b c'), [30, 9, -1])
})

t.test('a time in the past removes the field, and the key with its last', async t => {
  const { ask, ctx } = setUp()
  t.same(ask('HEXPIRE h 0 FIELDS 2 a none'), [2, -2])
  t.same(ctx.effects, ['HDEL h a'])
  t.same(ctx.notices, ['hdel h'])
  t.same(ask('HEXPIREAT h 1 GT FIELDS 1 b'), [0], 'not when its condition fails')
  t.same(ask('HPEXPIREAT h 1 FIELDS 2 b c'), [2, 2])
  t.same(ctx.effects, ['HDEL h b c'])
  t.same(ctx.notices, ['hdel h', 'del h'])
  t.equal(ask('EXISTS h'), ':0')
})

t.test('a missing key has no fields, and another type is refused before all else', async t => {
  const { ask } = setUp()
  t.same(ask('HEXPIRE none 10 FIELDS 2 a b'), [-2, -2])
  t.same(ask('HTTL none FIELDS 1 a'), [-2])
  t.same(ask('HPERSIST none FIELDS 2 a b'), [-2, -2])
  t.equal(ask('EXISTS none'), ':0')
})

t.test('errors are those of Redis 7.4', async t => {
  const { ask } = setUp()
  const noFields = '-ERR Mandatory argument FIELDS is missing or not at the right position'
  const count = '-ERR The `numfields` parameter must match the number of arguments'
  t.equal(ask('HEXPIRE h 10 FIELD 1 a'), noFields)
  t.equal(ask('HEXPIRE h 10 NX XX FIELDS 1 a'), noFields)
  t.equal(ask('HEXPIRE h 10 NX a 1'), noFields)
  t.equal(ask('HEXPIRE h x FIELDS 1 a'), '-ERR value is not an integer or out of range')
  t.equal(ask('HEXPIRE h -1 FIELDS 1 a'), '-ERR invalid expire time, must be >= 0')
  t.equal(ask('HEXPIRE h 10 FIELDS 0 a'), '-ERR Parameter `numFields` should be greater than 0')
  t.equal(ask('HEXPIRE h 10 FIELDS x a'), '-ERR Parameter `numFields` should be greater than 0')
  t.equal(ask('HEXPIRE h 10 FIELDS 2 a'), count)
  t.equal(ask('HEXPIRE h 10 FIELDS 1 a b'), count)
  t.equal(ask('HPEXPIRE h 70368744177664 FIELDS 1 a'), "-ERR invalid expire time in 'hpexpire' command")
  t.equal(ask('HEXPIREAT h 70368744178 FIELDS 1 a'), "-ERR invalid expire time in 'hexpireat' command")
  t.same(ask('HPEXPIREAT h 70368744177663 FIELDS 1 a'), [1])
  t.equal(ask('HTTL h FIELDS 0 a'), '-ERR Number of fields must be a positive integer')
  t.equal(ask('HTTL h FIELDS 2 a'), count)
  t.equal(ask('HPERSIST h 1 FIELDS a'), noFields)
  t.equal(ask('HPERSIST h FIELDS 2 a'), count)
  t.match(ask('HEXPIRE h 10 FIELDS 1'), /wrong number of arguments for 'hexpire'/)
})

t.test('what is due is gone for every command', async t => {
  const lines: [string, string | number[]][] = [
    ['HLEN h', ':2'],
    ['HEXISTS h a', ':0'],
    ['HGET h a', '$-1'],
    ['HSTRLEN h a', ':0'],
    ['HSETNX h a 9', ':1'],
    ['HINCRBY h a 5', ':5'],
    ['HDEL h a', ':0'],
    ['HTTL h FIELDS 1 a', [-2]],
    ['HEXPIRE h 10 FIELDS 1 a', [-2]],
    ['HPERSIST h FIELDS 1 a', [-2]],
  ]
  for (const [line, answer] of lines) {
    const { ask, ctx } = setUp()
    const expired: string[] = []
    ctx.keyspace.hooks.onFieldsExpired = (_db, key, fields, emptied) =>
      void expired.push(`${key} ${fields.join()} ${emptied}`)
    ask('HEXPIRE h 10 FIELDS 1 a')
    ctx.clock.advance(10_000)
    t.same(ask(line), answer, line)
    t.same(expired, ['h a false'], line)
  }
})

t.test('fields that are due one after another take the key with the last; nobody sees it', async t => {
  for (const look of ['EXISTS h', 'TYPE h', 'HGETALL h', 'DEL h', 'RENAMENX h i', 'COPY h i', 'PERSIST h']) {
    const { ask, ctx } = setUp()
    let emptied = 0
    ctx.keyspace.hooks.onFieldsExpired = (_db, _key, _fields, all) => void (emptied += all ? 1 : 0)
    ask('HPEXPIRE h 5 FIELDS 1 a')
    ask('HPEXPIRE h 10 FIELDS 2 b c')
    ctx.clock.advance(5)
    t.equal(ask('HLEN h'), ':2')
    ctx.clock.advance(5)
    ask(look)
    t.equal(emptied, 1, look)
    t.equal(ctx.db.size, 0, look)
  }
})

t.test('active expiry removes what nobody asks for, a bounded number at a time, and sleeps until the next', async t => {
  const { ask, ctx } = setUp()
  const fields = Array.from({ length: 100 }, (_, i) => `f${i}`)
  ctx.ask('HSET', 'large', 'kept', 'v', ...fields.flatMap(field => [field, 'v'.repeat(70)]))
  ctx.ask('HPEXPIRE', 'large', 20, 'FIELDS', 100, ...fields)
  ask('HPEXPIRE h 50 FIELDS 1 a')
  t.equal(ctx.db.expiringFieldsCount, 2)
  t.equal(ctx.db.expireFieldsSome(32), false, 'nothing is due')
  ctx.clock.advance(20)
  ctx.keyspace.nowMs = ctx.nowMs
  const removed: number[] = []
  ctx.keyspace.hooks.onFieldsExpired = (_db, _key, expired) => void removed.push(expired.length)
  while (ctx.db.expireFieldsSome(32));
  t.same(removed, [32, 32, 32, 4])
  t.equal(ctx.db.expiringFieldsCount, 1, 'the large one has none left')
  t.equal(ask('HLEN large'), ':1')
  ctx.clock.advance(30)
  ctx.keyspace.nowMs = ctx.nowMs
  while (ctx.db.expireFieldsSome(32));
  t.equal(ctx.db.expiringFieldsCount, 0)
  t.equal(ask('HLEN h'), ':2')
})

t.test('HSET takes the expiry of a field away, HINCRBY and HINCRBYFLOAT keep it', async t => {
  const { ask, ctx } = setUp()
  ask('HEXPIRE h 10 FIELDS 3 a b c')
  ask('HSET h a 9')
  ask('HINCRBY h b 1')
  ask('HINCRBYFLOAT h c 0.5')
  t.same(ctx.effects, ['HSET h c 3.5', `HPEXPIREAT h ${NOW_MS + 10_000} FIELDS 1 c`])
  t.same(ask('HTTL h FIELDS 3 a b c'), [-1, 10, 10])
  ask('HDEL h b')
  ask('HSET h b 1')
  t.same(ask('HTTL h FIELDS 1 b'), [-1], 'a field that was removed comes back without')
})

t.test('RENAME and COPY take the expiries along', async t => {
  const { ask, ctx } = setUp()
  ask('HPEXPIRE h 50 FIELDS 1 a')
  ask('COPY h twin')
  ask('RENAME h moved')
  t.equal(ask('OBJECT ENCODING twin'), '$10\r\nlistpackex')
  t.same(ask('HPTTL moved FIELDS 1 a'), [50])
  t.same(ask('HPTTL twin FIELDS 1 a'), [50])
  t.equal(ctx.db.expiringFieldsCount, 2)
  ctx.clock.advance(50)
  t.equal(ask('HLEN moved'), ':2')
  t.equal(ask('HLEN twin'), ':2')
})

t.test('at replay nothing is removed by time: the removal is in the journal', async t => {
  const { ask, ctx } = setUp()
  ctx.replaying = true
  ctx.keyspace.replaying = true
  t.same(ask('HPEXPIREAT h 5 FIELDS 2 a b'), [1, 1])
  t.equal(ask('HLEN h'), ':3')
  t.equal(ask('HDEL h a b'), ':2')
})
