import t from 'tap'
import { zsetCommands } from '../../src/commands/zset-commands.js'
import { againstRedis } from '../support/against-redis.js'
import { seeded } from '../support/seeded.js'

t.test('GEOADD answers as redis-server', t =>
  againstRedis(t, zsetCommands, [
    'GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania',
    'GEOADD g NX CH 13.361389 39 Palermo 2.35 48.85 Paris',
    'GEOADD g XX CH 13.361389 39 Palermo 0 0 nowhere',
    'GEOADD g CH 13.361389 39 Palermo',
    'GEOADD g 180 0 a -180 0 b 0 85.05112878 c 0 -85.05112878 d 180 85.05112878 e 180 12.3456 f',
    'ZRANGE g 0 -1 WITHSCORES',
    'GEOADD g 180.1 0 a',
    'GEOADD g 1 -85.06 a',
    'GEOADD g inf 0 a',
    'GEOADD g x 0 a',
    'GEOADD g 1 x a',
    'GEOADD g 1 2',
    'GEOADD g NX XX 1 2 m',
    'GEOADD g CH 1 2 m 3',
    'GEOADD g NX CH CH',
    'GEOADD g GT 1 2 m',
    'ZRANGE g 0 -1 WITHSCORES',
  ]),
)

t.test('scores of random places are those of redis-server', t => {
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const degrees = (max: number) => (rng.between(-1e9, 1e9) / 1e9) * max
  const places = Array.from({ length: 300 }, (_, i) => [degrees(180), degrees(85.05112878), i]).flat()
  return againstRedis(t, zsetCommands, [
    ['GEOADD', 'g', ...places],
    ['ZRANGE', 'g', '0', '-1', 'WITHSCORES'],
  ])
})
