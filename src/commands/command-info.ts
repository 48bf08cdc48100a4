// How a row is told to clients: the ten fields of COMMAND INFO, the map of COMMAND DOCS, and the ACL categories.

import type { Reply } from '../resp/reply.js'
import { Flag } from './spec.js'
import type { CommandSpec, KeySpec } from './spec.js'

/** In the order in which Redis prints them. */
const FLAG_NAMES: readonly (readonly [number, string])[] = [
  [Flag.Write, 'write'],
  [Flag.ReadOnly, 'readonly'],
  [Flag.DenyOom, 'denyoom'],
  [Flag.Admin, 'admin'],
  [Flag.PubSub, 'pubsub'],
  [Flag.NoScript, 'noscript'],
  [Flag.Blocking, 'blocking'],
  [Flag.Loading, 'loading'],
  [Flag.Stale, 'stale'],
  [Flag.SkipMonitor, 'skip_monitor'],
  [Flag.SkipSlowlog, 'skip_slowlog'],
  [Flag.Fast, 'fast'],
  [Flag.NoAuth, 'no_auth'],
  [Flag.NoMandatoryKeys, 'no_mandatory_keys'],
  [Flag.NoAsyncLoading, 'no_async_loading'],
  [Flag.NoMulti, 'no_multi'],
  [Flag.MovableKeys, 'movablekeys'],
  [Flag.AllowBusy, 'allow_busy'],
]

export const CATEGORIES = [
  'keyspace',
  'read',
  'write',
  'set',
  'sortedset',
  'list',
  'hash',
  'string',
  'bitmap',
  'hyperloglog',
  'geo',
  'stream',
  'pubsub',
  'admin',
  'fast',
  'slow',
  'blocking',
  'dangerous',
  'connection',
  'transaction',
  'scripting',
] as const

/** The categories of a row without '@': its own and those its flags imply, in Redis' order. */
export function categoriesOf(spec: CommandSpec<never>): string[] {
  const { flags, categories } = spec
  const has = new Set<string>(categories)
  if (flags & Flag.Write) has.add('write')
  // Scripts read and write what they like: they belong to neither.
  if (flags & Flag.ReadOnly && !has.has('scripting')) has.add('read')
  if (flags & Flag.Admin) has.add('admin').add('dangerous')
  if (flags & Flag.PubSub) has.add('pubsub')
  if (flags & Flag.Blocking) has.add('blocking')
  has.add(flags & Flag.Fast ? 'fast' : 'slow')
  return CATEGORIES.filter(category => has.has(category))
}

export function writeInfo(reply: Reply, spec: CommandSpec<never>): void {
  const range = legacyRange(spec.keys)
  reply.array(10)
  reply.latin1(spec.name)
  reply.integer(spec.arity)
  writeWords(
    reply,
    FLAG_NAMES.filter(([bit]) => spec.flags & bit).map(([, name]) => name),
  )
  for (const position of range) reply.integer(position)
  writeWords(
    reply,
    categoriesOf(spec).map(category => `@${category}`),
  )
  const tips = spec.tips ?? []
  reply.set(tips.length)
  for (const tip of tips) reply.latin1(tip)
  reply.set(spec.keys.length)
  for (const key of spec.keys) writeKeySpec(reply, key)
  const subcommands = spec.subcommands ?? []
  if (subcommands.length === 0) reply.set(0)
  else reply.array(subcommands.length)
  for (const sub of subcommands) writeInfo(reply, sub)
}

function writeWords(reply: Reply, words: readonly string[]): void {
  reply.set(words.length)
  for (const word of words) reply.status(word)
}

/** First key, last key and step, for clients older than key specifications. */
function legacyRange(keys: readonly KeySpec[]): [number, number, number] {
  let range: [number, number, number] = [0, 0, 0]
  for (const { begin, find } of keys) {
    if (begin === 'unknown' || !('index' in begin) || find === 'unknown' || !('lastKey' in find)) continue
    const last = find.lastKey < 0 ? find.lastKey : begin.index + find.lastKey
    if (range[0] === 0) range = [begin.index, last, find.step]
    else if (range[1] >= 0 && begin.index === range[1] + 1) range = [range[0], last, 1]
  }
  return range
}

function writeKeySpec(reply: Reply, { flags, begin, find }: KeySpec): void {
  reply.map(3)
  reply.latin1('flags')
  writeWords(reply, flags)
  reply.latin1('begin_search')
  if (begin === 'unknown') writeMethod(reply, 'unknown', [])
  else if ('index' in begin) writeMethod(reply, 'index', [['index', begin.index]])
  else {
    writeMethod(reply, 'keyword', [
      ['keyword', begin.keyword],
      ['startfrom', begin.startFrom],
    ])
  }
  reply.latin1('find_keys')
  if (find === 'unknown') writeMethod(reply, 'unknown', [])
  else if ('lastKey' in find) {
    writeMethod(reply, 'range', [
      ['lastkey', find.lastKey],
      ['keystep', find.step],
      ['limit', find.limit],
    ])
  } else {
    writeMethod(reply, 'keynum', [
      ['keynumidx', find.keyNumIndex],
      ['firstkey', find.firstKey],
      ['keystep', find.step],
    ])
  }
}

function writeMethod(reply: Reply, type: string, fields: readonly (readonly [string, string | number])[]): void {
  reply.map(2)
  reply.latin1('type')
  reply.latin1(type)
  reply.latin1('spec')
  reply.map(fields.length)
  for (const [name, value] of fields) {
    reply.latin1(name)
    if (typeof value === 'number') reply.integer(value)
    else reply.latin1(value)
  }
}

/** Name, then the map of its documentation. */
export function writeDocs(reply: Reply, spec: CommandSpec<never>): void {
  const subcommands = spec.subcommands ?? []
  reply.latin1(spec.name)
  const keys = plainKeys(spec)
  const optional = [spec.complexity !== undefined, keys.length > 0, subcommands.length > 0]
  reply.map(3 + optional.filter(Boolean).length)
  reply.latin1('summary')
  reply.latin1(spec.summary)
  reply.latin1('since')
  reply.latin1(spec.since)
  reply.latin1('group')
  reply.latin1(spec.group)
  if (spec.complexity !== undefined) {
    reply.latin1('complexity')
    reply.latin1(spec.complexity)
  }
  if (keys.length > 0) writeKeyArguments(reply, keys)
  if (subcommands.length === 0) return
  reply.latin1('subcommands')
  reply.map(subcommands.length)
  for (const sub of subcommands) writeDocs(reply, sub)
}

/** The keys of a command that takes nothing else, and each once; none for others. */
function plainKeys({ name, arity, keys }: CommandSpec<never>): readonly KeySpec[] {
  const names = name.includes('|') ? 2 : 1
  const places = keys.map(({ begin, find }) =>
    isSingle(find) && begin !== 'unknown' && 'index' in begin ? begin.index : 0,
  )
  return arity === names + keys.length && places.every((place, i) => place === names + i) ? keys : []
}

function isSingle(find: KeySpec['find']): boolean {
  return find !== 'unknown' && 'lastKey' in find && find.lastKey === 0
}

function writeKeyArguments(reply: Reply, keys: readonly KeySpec[]): void {
  reply.latin1('arguments')
  reply.array(keys.length)
  for (let i = 0; i < keys.length; i++) {
    reply.map(3)
    reply.latin1('name')
    reply.latin1(keys.length === 1 ? 'key' : `key${i + 1}`)
    reply.latin1('type')
    reply.latin1('key')
    reply.latin1('key_spec_index')
    reply.integer(i)
  }
}
