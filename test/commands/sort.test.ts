import t from 'tap'
import { hashCommands } from '../../src/commands/hash-commands.js'
import { keyCommands } from '../../src/commands/key-commands.js'
import { listCommands } from '../../src/commands/list-commands.js'
import { setCommands } from '../../src/commands/set-commands.js'
import { sortCommands } from '../../src/commands/sort.js'
import { keysOf } from '../../src/commands/table.js'
import { stringCommands } from '../../src/commands/string-commands.js'
import { zsetCommands } from '../../src/commands/zset-commands.js'
import { requestOf } from '../../src/resp/request.js'
import { againstRedis } from '../support/against-redis.js'
import { FakeContext } from '../support/fake-context.js'

const commands = [
  ...keyCommands,
  ...stringCommands,
  ...listCommands,
  ...setCommands,
  ...hashCommands,
  ...zsetCommands,
  ...sortCommands,
]

t.test('SORT and SORT_RO answer as redis-server', async t => {
  await againstRedis(t, commands, [
    'RPUSH l 3 10 -1 2 2.5 1e1 0x10 inf',
    'SADD s 5 3 9 1',
    'ZADD z 3 a 1 b 2 c 2 d',
    'RPUSH words banana apple Cherry \x00 \xff app',
    'MSET w_3 30 w_10 5 w_2 7 n_3 three n_2 two text x',
    'MSET w_a 2 w_b 1 w_c 3',
    'HSET h_3 f 1 g one',
    'HSET h_2 f 0',
    ...['l', 's', 'z', 'none', 'text', 'words'].flatMap(key => [
      `SORT ${key}`,
      `SORT ${key} DESC`,
      `SORT ${key} ALPHA`,
      `SORT ${key} ALPHA DESC LIMIT 1 2`,
      `SORT_RO ${key} ASC ALPHA LIMIT -3 2`,
      `SORT ${key} BY nosort STORE out`,
      'TYPE out',
      'LRANGE out 0 -1',
      `SORT ${key} ALPHA STORE out`,
      'LRANGE out 0 -1',
      'OBJECT ENCODING out',
    ]),
    'SORT l LIMIT 1 3',
    'SORT l LIMIT 0 0',
    'SORT l LIMIT 100 2',
    'SORT l LIMIT 2 -1',
    'SORT l LIMIT 2 100 DESC',
    'SORT l LIMIT x 1',
    'SORT l LIMIT 1',
    'SORT l BY w_*',
    'SORT l BY w_* DESC',
    'SORT l BY w_* ALPHA GET # GET w_*',
    'SORT l BY h_*->f GET # GET h_*->g GET h_*->none GET n_* GET plain',
    'SORT l BY nosort',
    'SORT l BY nosort DESC',
    'SORT l BY nosort DESC LIMIT 1 100',
    'SORT l BY nosort DESC LIMIT 1 2',
    'SORT l BY nosort BY w_* LIMIT 0 3',
    'SORT z BY nosort',
    'SORT z BY nosort DESC',
    'SORT z BY nosort LIMIT 1 2',
    'SORT z BY nosort DESC LIMIT 1 2',
    'SORT z BY nosort DESC LIMIT 1 100',
    'SORT z BY w_* GET # GET w_*',
    'SORT z BY n_* GET #',
    'SORT s BY nosort GET # STORE out',
    'LRANGE out 0 -1',
    'SORT l GET h_*->f STORE out',
    'LRANGE out 0 -1',
    'SORT l GET n_* GET # STORE l',
    'LRANGE l 0 -1',
    'SORT none STORE text',
    'EXISTS text',
    'SORT none STORE text',
    'SORT_RO z ALPHA STORE out',
    'SORT z FOO',
    'SORT z BY',
    'SORT z GET',
    'SORT z STORE',
    'SORT',
    ['RPUSH', 'odd', '', ' 7', '3'],
    'SORT odd',
    ['RPUSH', 'odd', '7 '],
    'SORT odd',
    ['SORT', 'odd', 'GET', 'w_*->'],
    'RPUSH big 1e400 1',
    'SORT big',
    'RPUSH not nan 1',
    'SORT not',
  ])
})

t.test('what STORE leaves is journaled as it came out, in pieces', async t => {
  const ctx = new FakeContext(commands)
  ctx.ask('RPUSH', 'l', 2, 1)
  t.equal(ctx.ask('SORT', 'l', 'STORE', 'out'), ':2\r\n')
  t.same(ctx.effects, ['RPUSH out 1 2'])
  t.same(ctx.notices, ['sortstore out'])
  ctx.ask('SORT', 'l', 'DESC', 'STORE', 'out')
  t.same(ctx.effects, ['DEL out', 'RPUSH out 2 1'])
  ctx.ask('SORT', 'none', 'STORE', 'out')
  t.same(ctx.effects, ['DEL out'])
  t.same(ctx.notices, ['del out'])
  ctx.ask('SORT', 'none', 'STORE', 'out')
  t.same(ctx.effects, [])
  ctx.ask('RPUSH', 'long', ...Array.from({ length: 3000 }, (_, i) => i))
  ctx.ask('SORT', 'long', 'STORE', 'out')
  t.same(
    ctx.effects.map(effect => effect.split(' ').length - 2),
    [1024, 1024, 952],
  )
  t.equal(ctx.ask('SORT_RO', 'l'), '*2\r\n$1\r\n1\r\n$1\r\n2\r\n')
  t.same(ctx.effects, [])
})

t.test('the key behind STORE is found, wherever it stands', async t => {
  const ctx = new FakeContext(commands)
  const keys = (line: string) => keysOf(ctx.table.find('sort')!, requestOf(line.split(' ')))
  t.same(keys('SORT k'), [1])
  t.same(keys('SORT k STORE a GET x'), [1, 3])
  t.same(keys('SORT k GET STORE BY STORE LIMIT STORE x STORE a STORE b'), [1, 12])
})
