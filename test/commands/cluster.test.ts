import t from 'tap'
import { clusterCommands } from '../../src/commands/cluster.js'
import { againstRedis } from '../support/against-redis.js'

t.test('CLUSTER and its modes answer as redis-server outside a cluster', t =>
  againstRedis(t, clusterCommands, [
    ...clusterCommands[0].subcommands!.map(({ name, arity }) => [
      ...name.split('|'),
      ...Array.from({ length: Math.abs(arity) - 2 }, () => '1'),
    ]),
    'CLUSTER',
    'CLUSTER NOSUCH',
    'CLUSTER INFO x',
    'ASKING',
    'READONLY',
    'READONLY x',
    'READWRITE',
  ]),
)
