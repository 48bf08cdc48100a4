// A generator for every row of the command table, made from the row: the request that fits it, over the keys of all
// families, so that it meets every type and every state. Options come from the families' own kinds. And what holds
// commands inside: transactions, scripts, COMMAND GETKEYS.

import { commandTable } from '../../src/commands/all-commands.js'
import type { TableRow } from '../../src/commands/table.js'
import { LATER, UNSENT } from '../matrix/exceptions.js'
import { requestOfRow } from '../support/row-request.js'
import type { Argument, Command, Generator, Kind } from './generator.js'

/** Rows that no random sequence may hold, with the reason. Those of matrix/exceptions (UNSENT, LATER) come on top. */
export const UNGENERATED: ReadonlyMap<string, string> = new Map([
  ['hello', 'changes the protocol; commands/authentication compares it'],
  ['auth', 'may end the rights of the connection; commands/authentication'],
  ['reset', 'changes the protocol; exec/session'],
  ['client|reply', 'takes replies away; exec/executor'],
  ['client|pause', 'stops the sequence; exec/pause'],
  ['subscribe', 'changes the mode of the connection; wire/pubsub compares all six'],
  ['psubscribe', 'as subscribe'],
  ['ssubscribe', 'as subscribe'],
  ['unsubscribe', 'as subscribe'],
  ['punsubscribe', 'as subscribe'],
  ['sunsubscribe', 'as subscribe'],
  ['debug', 'the reference asks for a flag; commands/debug'],
  ['save', 'fails while another save runs, which is a matter of time; commands/durability'],
  ['bgsave', 'as save'],
  ['bgrewriteaof', 'as save'],
  ['migrate', 'talks to another server, which must be one that can be reached from both; commands/migrate'],
])

/** Rows that have kinds of their own because a plain request would not do here. */
const SPECIAL: ReadonlyMap<string, string> = new Map([
  ['spop', 'takes what chance says, so that the data would differ; set-kinds take all'],
  ['sscan', 'how far one call gets depends on the table; set-kinds ask for everything at once'],
  ['hscan', 'as sscan'],
  ['zscan', 'as sscan'],
  ['multi', 'is generated with its commands and its end'],
  ['flushall', 'would leave too little behind'],
  ['flushdb', 'as flushall'],
])

const rows: readonly TableRow[] = commandTable().rows.filter(
  ({ name, children }) =>
    children === undefined && !UNSENT.has(name) && !LATER.has(name) && !UNGENERATED.has(name) && !SPECIAL.has(name),
)

const KEYS: readonly string[] = ['s1', 's2', 'v1', 'v2', 'l1', 'l2', 't1', 't2', 'h1', 'h2', 'z1', 'z2', 'missing']

/** SORT unpacks a sorted set in Redis, which OBJECT ENCODING would show. */
const SORTED_KEYS: readonly string[] = ['l1', 'l2', 't1', 's1', 'v1']

function anyRow(g: Generator): Command {
  const row = g.rng.pick(rows)
  const { words, keys } = requestOfRow(row, () => g.rng.pick(row.name.startsWith('sort') ? SORTED_KEYS : KEYS))
  return words.map((word, i) => (keys.includes(i) ? word : Buffer.from(word, 'latin1')))
}

/** Commands that hold others or wait, and those that pair.ts sends another one before. */
const ALONE = /^(X(READ|READGROUP|CLAIM|AUTOCLAIM)|SORT.*|MULTI|EXEC|DISCARD|WATCH|UNWATCH|SELECT|EVAL.*|COMMAND|B.*)$/i

/** A command of the families that may stand inside another. */
function inner(g: Generator): Command {
  for (;;) {
    const command = g.familyCommand()
    if (!ALONE.test(String(command[0]))) return command
  }
}

function transaction(g: Generator): Command {
  const { rng } = g
  const commands = Array.from({ length: rng.below(5) }, () => inner(g))
  const watched = g.maybe(0.3, 'WATCH', rng.pick(KEYS), rng.pick(KEYS))
  const before: Command[] = watched.length === 0 ? [] : [watched, ...(rng.chance(0.5) ? [inner(g)] : [])]
  const end: Argument = rng.chance(0.9) ? 'EXEC' : 'DISCARD'
  const [first, ...rest] = [...before, ['MULTI'], ...commands, [end]]
  g.follow(rest)
  return first
}

export const rowKinds: readonly Kind[] = [
  { weight: 25, sound: true, make: anyRow },
  { weight: 4, sound: true, make: transaction },
  { weight: 3, sound: true, make: g => ['EVAL', 'return redis.pcall(unpack(ARGV))', 0, ...inner(g)] },
  { weight: 2, sound: true, make: g => ['COMMAND', g.rng.pick(['GETKEYS', 'GETKEYSANDFLAGS']), ...inner(g)] },
  { weight: 2, sound: true, make: () => ['SELECT', 0] },
  { weight: 1, make: g => ['SWAPDB', g.rng.pick<Argument>([0, 1, 16, 'x']), g.rng.pick<Argument>([0, 1, 1])] },
  { weight: 1, sound: true, make: g => (g.rng.chance(0.05) ? [g.rng.pick(['FLUSHDB', 'FLUSHALL'])] : ['DBSIZE']) },
  {
    weight: 1,
    make: g => ['GEOADD', g.rng.pick(['z1', 'z2']), g.rng.between(-190, 190), g.rng.between(-90, 90), 'm1'],
  },
  { weight: 1, make: g => [g.rng.pick(['BZPOPMIN', 'BZPOPMAX']), g.rng.pick(['z1', 'z2']), '0.001'] },
  { weight: 1, make: g => ['BZMPOP', '0.001', 1, g.rng.pick(['z1', 'z2']), 'MIN', ...g.maybe(0.5, 'COUNT', 3)] },
]
