// A sound request for every row of the command table: the least arguments its arity allows, keys where its key
// specifications say, '1' elsewhere; where '1' is no sound argument the words below say what is.

import type { CommandSpec, KeySpec } from '../../src/commands/spec.js'
import type { TableRow } from '../../src/commands/table.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { dumpOf } from '../../src/types/rdb/dump-payload.js'
import { StringValue } from '../../src/types/string/string-value.js'

export interface RowRequest {
  readonly words: readonly string[]
  /** Indices of the keys in `words`. */
  readonly keys: readonly number[]
}

/**
 * Arguments behind the name where '1' will not do; K stands for the next key. A word that begins with K and is no key
 * does not occur.
 */
const ARGUMENTS: Readonly<Record<string, string>> = {
  hello: '2',
  'client|kill': 'ID 99999999',
  'client|setinfo': 'lib-name 1',
  'client|no-evict': 'off',
  'client|no-touch': 'off',
  'client|reply': 'on',
  'client|unblock': '99999999',
  'command|list': '',
  'command|info': 'get',
  'command|docs': 'get',
  'command|getkeys': 'get 1',
  'command|getkeysandflags': 'get 1',
  'config|get': 'maxmemory',
  'config|set': 'maxmemory-samples 5',
  'latency|history': 'none',
  'latency|graph': 'none',
  'latency|reset': 'none',
  'latency|histogram': 'none',
  'memory|usage': 'K',
  debug: 'sleep 0',
  replicaof: 'no one',
  slaveof: 'no one',
  scan: '0',
  set: 'K 1',
  expireat: 'K 99999999999',
  pexpireat: 'K 99999999999999',
  expire: 'K 1000',
  pexpire: 'K 1000000',
  setex: 'K 1000 v',
  psetex: 'K 1000000 v',
  getex: 'K EX 1000',
  copy: 'K K',
  xackdel: 'K g IDS 1 1-1',
  xidmprecord: 'K producer id 1-1',
  xdelex: 'K IDS 1 1-1',
  xnack: 'K g FAIL IDS 1 1-1',
  xcfgset: 'K IDMP-DURATION 100',
  migrate: '127.0.0.1 1 K 0 1000',
  bitop: 'NOT K K',
  sscan: 'K 0',
  hscan: 'K 0',
  zscan: 'K 0',
  hexpire: 'K 1000 FIELDS 1 f',
  hpexpire: 'K 1000000 FIELDS 1 f',
  hexpireat: 'K 9999999999 FIELDS 1 f',
  hpexpireat: 'K 9999999999999 FIELDS 1 f',
  httl: 'K FIELDS 1 f',
  hpttl: 'K FIELDS 1 f',
  hexpiretime: 'K FIELDS 1 f',
  hpexpiretime: 'K FIELDS 1 f',
  hpersist: 'K FIELDS 1 f',
  lmpop: '1 K LEFT',
  linsert: 'K BEFORE 1 2',
  lmove: 'K K LEFT RIGHT',
  blpop: 'K 0.01',
  brpop: 'K 0.01',
  blmpop: '0.01 1 K LEFT',
  blmove: 'K K LEFT RIGHT 0.01',
  brpoplpush: 'K K 0.01',
  zadd: 'K 1 m',
  zincrby: 'K 1 m',
  geoadd: 'K 1 1 m',
  zrangebylex: 'K - +',
  zrevrangebylex: 'K + -',
  zlexcount: 'K - +',
  zremrangebylex: 'K - +',
  zmpop: '1 K MIN',
  bzpopmin: 'K 0.01',
  bzpopmax: 'K 0.01',
  bzmpop: '0.01 1 K MIN',
  xadd: 'K 5-5 f v',
  xautoclaim: 'K g c 0 0',
  xclaim: 'K g c 0 1-1',
  xack: 'K g 1-1',
  xdel: 'K 1-1',
  'xgroup|create': 'K g2 0',
  'xgroup|createconsumer': 'K g c2',
  'xgroup|delconsumer': 'K g c2',
  'xgroup|destroy': 'K g2',
  'xgroup|setid': 'K g 0',
  'xinfo|consumers': 'K g',
  xpending: 'K g',
  xrange: 'K - +',
  xrevrange: 'K + -',
  xread: 'STREAMS K 0',
  xreadgroup: 'GROUP g c STREAMS K >',
  xsetid: 'K 9-9',
  xtrim: 'K MAXLEN 1',
  wait: '0 1',
  waitaof: '0 0 1',
  'acl|cat': '',
  'acl|deluser': 'nosuchuser',
  'acl|dryrun': 'default get k',
  'acl|genpass': '5',
  'acl|getuser': 'nosuchuser',
  'acl|log': '',
  'acl|setuser': 'matrixuser on',
  eval: 'return{KEYS[1],ARGV[1]} 1 K a',
  eval_ro: 'return{KEYS[1],ARGV[1]} 1 K a',
  evalsha: 'da39a3ee5e6b4b0d3255bfef95601890afd80709 1 K',
  evalsha_ro: 'da39a3ee5e6b4b0d3255bfef95601890afd80709 1 K',
  fcall: 'nosuch 1 K',
  fcall_ro: 'nosuch 1 K',
  'script|debug': 'no',
  'script|flush': '',
  'script|load': 'return',
  'function|delete': 'nosuch',
  'function|flush': '',
  'function|list': '',
  'function|load': '#!lua',
  'function|restore': 'x',
}

/** @param key name of the n-th key */
export function requestOfRow(row: TableRow, key: (n: number) => string): RowRequest {
  const names = row.name.split('|')
  if (row.name === 'restore') return { words: ['restore', key(0), '0', payload()], keys: [1] }
  const said = ARGUMENTS[row.name]
  const rest = said === undefined ? plainArguments(row, names.length) : said.split(' ').filter(word => word !== '')
  const words = [...names]
  const keys: number[] = []
  for (const word of rest) {
    if (word === KEY) keys.push(words.length)
    words.push(word === KEY ? key(keys.length - 1) : word)
  }
  return { words, keys }
}

const KEY = 'K'

function payload(): string {
  return dumpOf(StringValue.create(new MemoryRows(), 'a'), 100).toString('latin1')
}

function plainArguments(row: TableRow, named: number): string[] {
  const words = Array.from({ length: Math.abs(row.arity) - named }, () => '1')
  for (const spec of keySpecsOf(row.spec)) {
    if (typeof spec.begin === 'string' || !('index' in spec.begin) || typeof spec.find === 'string') continue
    const first = spec.begin.index - named
    if ('keyNumIndex' in spec.find) {
      words[first + spec.find.keyNumIndex] = '1'
      words[first + spec.find.firstKey] = KEY
    } else {
      const last = spec.find.lastKey < 0 ? words.length - 1 : first + spec.find.lastKey
      for (let i = first; i <= last; i += spec.find.step) words[i] = KEY
    }
  }
  return words
}

function keySpecsOf(spec: CommandSpec<unknown>): readonly KeySpec[] {
  return spec.keys.filter(({ flags }) => !flags.includes('not_key'))
}
