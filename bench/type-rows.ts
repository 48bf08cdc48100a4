// The rows of the types beside streams: hashes, sorted sets and lists, small and large, and transactions. Each name
// ends in the number of elements that lie there before the measurement.

import { benchmark, timed, WARM_UP_COMMANDS, warmUpCommands } from './load.js'
import type { Row } from './load.js'
import { encode, WireClient } from './wire-client.js'

const V16 = 'abcdefghijklmnop'
const SIZES = [1_000, 1_000_000]
const ELEMENTS_PER_COMMAND = 500
const TRANSACTIONS_AT_ONCE = 16
const COMMANDS_PER_TRANSACTION = 10

/** As redis-benchmark writes its random numbers. */
const numbered = (i: number): string => String(i).padStart(12, '0')

/** Sends elements [0, size) in commands that begin with `head`. */
async function load(
  port: number,
  size: number,
  head: readonly string[],
  element: (i: number) => readonly (string | number)[],
) {
  const client = await WireClient.connect(port)
  for (let from = 0; from < size; from += ELEMENTS_PER_COMMAND) {
    const words: (string | number)[] = []
    for (let i = from; i < Math.min(size, from + ELEMENTS_PER_COMMAND); i++) words.push(...element(i))
    await client.send(encode(...head, ...words), 1)
  }
  client.close()
}

const loadHash = (port: number, size: number, key: string) =>
  load(port, size, ['HSET', key], i => [`field:${numbered(i)}`, V16])
const loadZset = (port: number, size: number, key: string) =>
  load(port, size, ['ZADD', key], i => [(i * 7919) % size, `member:${numbered(i)}`])
const loadList = (port: number, size: number, key: string) =>
  load(port, size, ['RPUSH', key], i => [`element:${numbered(i)}`])

/** One command on a collection of `size` elements. */
function onCollection(
  name: string,
  size: number,
  operations: number,
  fill: (port: number, size: number, key: string) => Promise<void>,
  command: (key: string) => string[],
): Row {
  const run = (port: number, n: number, key: string) => benchmark(port, n, 50, 16, command(key), size)
  return {
    name: `${name}-${size}`,
    what: `${command('key').join(' ')} on ${size.toLocaleString('en')} elements, 50 clients, pipeline 16, everysec`,
    unit: name.toUpperCase(),
    fsync: 'everysec',
    operations,
    prepare: port => fill(port, size, 'key'),
    async warmUp(port) {
      await fill(port, 1_000, 'warm')
      await benchmark(port, warmUpCommands(16), 50, 16, command('warm'), 1_000)
    },
    measure: (port, n) => run(port, n, 'key'),
  }
}

function lpop(size: number): Row {
  return {
    name: `lpop-${size}`,
    what: `LPOP until ${size.toLocaleString('en')} elements are gone, 50 clients, pipeline 16, everysec`,
    unit: 'LPOP',
    fsync: 'everysec',
    operations: size,
    prepare: (port, n) => loadList(port, n, 'key'),
    async warmUp(port) {
      await loadList(port, WARM_UP_COMMANDS, 'warm')
      await benchmark(port, WARM_UP_COMMANDS, 50, 16, ['LPOP', 'warm'])
    },
    measure: (port, n) => benchmark(port, n, 50, 16, ['LPOP', 'key']),
  }
}

function transaction(): Row {
  const measure = (port: number, n: number, key: string) =>
    timed(port, n, async client => {
      for (let done = 0; done < n; done += TRANSACTIONS_AT_ONCE) {
        const pieces: Buffer[] = []
        for (let i = done; i < done + TRANSACTIONS_AT_ONCE; i++) {
          pieces.push(encode('MULTI'))
          for (let k = 0; k < COMMANDS_PER_TRANSACTION; k++)
            pieces.push(encode('SET', `${key}:${(i * 31 + k) % 100_000}`, V16))
          pieces.push(encode('EXEC'))
        }
        await client.send(Buffer.concat(pieces), pieces.length)
      }
    })
  return {
    name: 'multi-10',
    what: `MULTI, ${COMMANDS_PER_TRANSACTION} SETs, EXEC; one client, ${TRANSACTIONS_AT_ONCE} at once, everysec`,
    unit: 'transaction',
    fsync: 'everysec',
    operations: 100_000,
    warmUp: port => measure(port, 20_000, 'warm'),
    measure: (port, n) => measure(port, n, 'key'),
  }
}

export const typeRows: readonly Row[] = [
  ...SIZES.flatMap(size => [
    onCollection('hset', size, 1_000_000, loadHash, key => ['HSET', key, 'field:__rand_int__', V16]),
    onCollection('hget', size, 1_000_000, loadHash, key => ['HGET', key, 'field:__rand_int__']),
    onCollection('zadd', size, 1_000_000, loadZset, key => ['ZADD', key, '__rand_int__', 'member:__rand_int__']),
    onCollection('zrank', size, 1_000_000, loadZset, key => ['ZRANK', key, 'member:__rand_int__']),
    onCollection('zrangebyscore', size, 500_000, loadZset, key => [
      'ZRANGEBYSCORE',
      key,
      '__rand_int__',
      '+inf',
      'LIMIT',
      '0',
      '10',
    ]),
    onCollection('blmove', size, 500_000, loadList, key => ['BLMOVE', key, key, 'RIGHT', 'LEFT', '0']),
    onCollection('lpush', size, 1_000_000, loadList, key => ['LPUSH', key, V16]),
  ]),
  lpop(1_000_000),
  transaction(),
]
