// Seeded random commands over a few keys, groups and consumers, so that they meet each other's effects: all options,
// odd IDs, binary names, and now and then a spoilt argument.

import type { Seeded } from '../support/seeded.js'
import { dumpKinds } from './dump-kinds.js'
import { hashKinds } from './hash-kinds.js'
import { listKinds } from './list-kinds.js'
import { rowKinds } from './row-kinds.js'
import { setKinds } from './set-kinds.js'
import { sortKinds } from './sort-kinds.js'
import { stringKinds } from './string-kinds.js'
import { zsetKinds } from './zset-kinds.js'

export type Argument = string | number | Buffer
export type Command = Argument[]

const KEYS: readonly Argument[] = ['s1', 's2', 's3', 's4', Buffer.from([0, 255, 13, 10, 36]), 'plain', 'missing']
const GROUPS: readonly Argument[] = ['g1', 'g2', 'g3', Buffer.from([1, 0, 254])]
const CONSUMERS: readonly Argument[] = ['c1', 'c2', 'c3', Buffer.from([200, 0])]
const FIELDS: readonly Argument[] = ['f', 'field', 'n', 'a-long-field-name-of-a-document', Buffer.from([0, 1, 2])]
const ODD_IDS = [
  '-',
  '+',
  '$',
  '>',
  '*',
  '0',
  '0-0',
  '5-',
  '-5',
  '5-*',
  '5--1',
  'abc',
  '',
  '1-2-3',
  '01-02',
  ' 1',
  '1-18446744073709551615',
]
const LAST_IDS = ['18446744073709551615', '18446744073709551615-18446744073709551615', '18446744073709551616-1']
const ODD_NUMBERS: readonly Argument[] = [
  '-1',
  '0',
  '1',
  'abc',
  '',
  '1.5',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
]

/** IDs are drawn from a small window that moves upwards, so that commands hit entries that exist. */
const WINDOW = 60

export class Generator {
  #top = 1
  readonly #following: Command[] = []
  constructor(readonly rng: Seeded) {}

  next(): Command {
    return this.#following.shift() ?? this.#from(ALL_KINDS)
  }

  /** What next() gives after the command that is being made. */
  follow(commands: readonly Command[]): void {
    this.#following.push(...commands)
  }

  /** A command that holds no other. */
  familyCommand(): Command {
    return this.#from(FAMILY_KINDS)
  }

  #from(kinds: readonly Kind[]): Command {
    const { rng } = this
    const total = kinds.reduce((sum, kind) => sum + kind.weight, 0)
    let at = rng.below(total)
    const kind = kinds.find(k => (at -= k.weight) < 0)!
    const command = kind.make(this)
    const spoilt = kind.sound !== true && rng.chance(0.04) ? this.#spoil(command) : command
    // '+' in XREAD is of Redis 7.4: the reference refuses it. '*' in XADD asks the clock.
    if (spoilt[0] === 'XREAD' || spoilt[0] === 'XREADGROUP')
      return spoilt.map(argument => (argument === '+' ? '-' : argument))
    if (EXPIRING.test(String(spoilt[0]))) return spoilt.map(argument => (isSoon(argument) ? SECONDS_MIN : argument))
    if (spoilt[0] === 'XADD') return spoilt.map(argument => (argument === '*' ? `${this.#top}-*` : argument))
    // WITHSCORE of ZRANK is of Redis 7.2: the reference allows no third argument.
    return /^Z(REV)?RANK$/i.test(String(spoilt[0])) ? spoilt.slice(0, 3) : spoilt
  }

  key(): Argument {
    return this.rng.chance(0.75) ? this.rng.pick(KEYS.slice(0, 3)) : this.rng.pick(KEYS)
  }
  group(): Argument {
    return this.rng.chance(0.7) ? 'g1' : this.rng.pick(GROUPS)
  }
  consumer(): Argument {
    return this.rng.pick(CONSUMERS)
  }

  /** An ID near the top of the window, sometimes with a sequence, seldom odd. */
  id(): string {
    const { rng } = this
    if (rng.chance(0.03)) return rng.pick(ODD_IDS)
    if (rng.chance(0.003)) return rng.pick(LAST_IDS)
    const ms = Math.max(0, this.#top - rng.below(WINDOW))
    return rng.chance(0.6) ? `${ms}-${rng.chance(0.8) ? 0 : rng.below(4)}` : `${ms}`
  }

  ids(most: number): string[] {
    return Array.from({ length: this.rng.between(1, most) }, () => this.id())
  }

  /** An ID for XADD: mostly the next one. */
  newId(): string {
    const { rng } = this
    if (rng.chance(0.06)) return this.id()
    this.#top += rng.chance(0.7) ? 1 : rng.below(3)
    return rng.pick([`${this.#top}-0`, `${this.#top}-${rng.below(5)}`, `${this.#top}-*`, `${this.#top}`])
  }

  count(): Argument {
    return this.rng.chance(0.05) ? this.rng.pick(ODD_NUMBERS) : this.rng.between(1, 20)
  }

  maybe(probability: number, ...words: Argument[]): Argument[] {
    return this.rng.chance(probability) ? words : []
  }

  fields(): Argument[] {
    const { rng } = this
    // Mostly one of two shapes, as in real streams; sizes make Redis start new nodes at different places.
    const names = rng.chance(0.8)
      ? rng.chance(0.5)
        ? ['f']
        : ['f', 'n']
      : [rng.pick(FIELDS), rng.pick(FIELDS), rng.pick(FIELDS)]
    return names.flatMap(name => [name, this.value()])
  }

  value(): Argument {
    const { rng } = this
    switch (rng.below(8)) {
      case 0:
        return rng.between(-300, 300)
      case 1:
        return String(rng.below(2 ** 31) * rng.between(1, 4000))
      case 2:
        return rng.bytes(rng.below(40))
      case 3:
        return 'x'.repeat(rng.below(600))
      case 4:
        return rng.pick(['', '007', '-0', '9223372036854775807', '9223372036854775808', '1.5', ' 5'])
      default:
        return `v${rng.below(1000)}`
    }
  }

  trim(): Argument[] {
    const { rng } = this
    const how = rng.pick<Argument[]>([[], ['='], ['~'], ['~']])
    const limit =
      how[0] === '~' || rng.chance(0.03)
        ? this.maybe(0.3, 'LIMIT', rng.pick<Argument>([0, 1, 5, 50, 100, 1000, -1]))
        : []
    return rng.chance(0.6)
      ? ['MAXLEN', ...how, rng.chance(0.05) ? this.count() : rng.below(120), ...limit]
      : ['MINID', ...how, this.id(), ...limit]
  }

  /** Replaces, drops, repeats or adds one argument. */
  #spoil(command: Command): Command {
    const { rng } = this
    if (command.length === 1) return [...command, rng.pick(ODD_NUMBERS)]
    const at = 1 + rng.below(command.length - 1)
    const odd = rng.pick<Argument>([...ODD_NUMBERS, ...ODD_IDS, 'COUNT', 'STREAMS', 'NOSUCHOPTION', rng.bytes(3)])
    switch (rng.below(4)) {
      case 0:
        return command.with(at, odd)
      case 1:
        return command.toSpliced(at, 1)
      case 2:
        return command.toSpliced(at, 0, command[at])
      default:
        return [...command, odd]
    }
  }
}

const EXPIRING = /^(set|getex|p?setex|p?expire|restore)$/i
/** What expires sooner may be gone on one server and not yet on the other. */
const SECONDS_MIN = 100_000

function isSoon(argument: Argument): boolean {
  return /^\+?0*[1-9]\d{0,4}$/.test(String(argument))
}

export interface Kind {
  readonly weight: number
  /** Its arguments are left as they are. */
  readonly sound?: boolean
  make(g: Generator): Command
}

const STREAM_AND_KEY_KINDS: readonly Kind[] = [
  {
    weight: 30,
    make: g => [
      'XADD',
      g.key(),
      ...g.maybe(0.1, 'NOMKSTREAM'),
      ...(g.rng.chance(0.2) ? g.trim() : []),
      g.newId(),
      ...g.fields(),
    ],
  },
  { weight: 3, make: g => ['XLEN', g.key()] },
  {
    weight: 6,
    make: g => [
      g.rng.pick(['XRANGE', 'xrange']),
      g.key(),
      bound(g, '-'),
      bound(g, '+'),
      ...g.maybe(0.4, 'COUNT', g.count()),
    ],
  },
  { weight: 4, make: g => ['XREVRANGE', g.key(), bound(g, '+'), bound(g, '-'), ...g.maybe(0.4, 'COUNT', g.count())] },
  {
    weight: 4,
    make: g => [
      'XREAD',
      ...g.maybe(0.5, 'COUNT', g.count()),
      'STREAMS',
      ...twoKeys(g, () => (g.rng.chance(0.1) ? '$' : g.id())),
    ],
  },
  { weight: 5, make: g => ['XDEL', g.key(), ...g.ids(3)] },
  { weight: 4, make: g => ['XTRIM', g.key(), ...g.trim()] },
  {
    weight: 1,
    make: g => [
      'XSETID',
      g.key(),
      g.id(),
      ...(g.rng.chance(0.4) ? ['ENTRIESADDED', g.rng.below(300), 'MAXDELETEDID', g.id()] : []),
    ],
  },
  {
    weight: 4,
    make: g => [
      'XGROUP',
      'CREATE',
      g.key(),
      g.group(),
      g.rng.pick(['0', '$', g.id()]),
      ...g.maybe(0.3, 'MKSTREAM'),
      ...g.maybe(0.3, 'ENTRIESREAD', g.rng.pick<Argument>([-1, 0, 3, 1000, -2])),
    ],
  },
  {
    weight: 2,
    make: g => [
      'XGROUP',
      'SETID',
      g.key(),
      g.group(),
      g.rng.pick(['0', '$', g.id()]),
      ...g.maybe(0.3, 'ENTRIESREAD', g.rng.below(50)),
    ],
  },
  { weight: 1, make: g => ['XGROUP', 'DESTROY', g.key(), g.group()] },
  { weight: 1, make: g => ['XGROUP', 'CREATECONSUMER', g.key(), g.group(), g.consumer()] },
  { weight: 1, make: g => ['XGROUP', 'DELCONSUMER', g.key(), g.group(), g.consumer()] },
  {
    weight: 14,
    make: g => [
      'XREADGROUP',
      'GROUP',
      g.group(),
      g.consumer(),
      ...g.maybe(0.6, 'COUNT', g.count()),
      ...g.maybe(0.1, 'NOACK'),
      'STREAMS',
      ...twoKeys(g, () => (g.rng.chance(0.7) ? '>' : g.id())),
    ],
  },
  { weight: 8, make: g => ['XACK', g.key(), g.group(), ...g.ids(4)] },
  { weight: 3, make: g => ['XPENDING', g.key(), g.group()] },
  {
    weight: 4,
    make: g => [
      'XPENDING',
      g.key(),
      g.group(),
      ...g.maybe(0.2, 'IDLE', g.rng.pick<Argument>([0, 100_000_000])),
      bound(g, '-'),
      bound(g, '+'),
      g.count(),
      ...g.maybe(0.4, g.consumer()),
    ],
  },
  {
    weight: 5,
    make: g => [
      'XCLAIM',
      g.key(),
      g.group(),
      g.consumer(),
      g.rng.pick<Argument>([0, 0, 0, -5, 100_000_000]),
      ...g.ids(3),
      ...claimOptions(g),
    ],
  },
  {
    weight: 4,
    make: g => [
      'XAUTOCLAIM',
      g.key(),
      g.group(),
      g.consumer(),
      g.rng.pick<Argument>([0, 0, -5, 100_000_000]),
      bound(g, '-'),
      ...g.maybe(0.5, 'COUNT', g.count()),
      ...g.maybe(0.4, 'JUSTID'),
    ],
  },
  {
    weight: 4,
    make: g => [
      'XINFO',
      'STREAM',
      g.key(),
      ...(g.rng.chance(0.5) ? ['FULL', ...g.maybe(0.4, 'COUNT', g.rng.below(6))] : []),
    ],
  },
  { weight: 3, make: g => ['XINFO', 'GROUPS', g.key()] },
  { weight: 2, make: g => ['XINFO', 'CONSUMERS', g.key(), g.group()] },
  { weight: 1, make: g => [g.rng.pick(['DEL', 'UNLINK']), g.key(), ...g.maybe(0.3, g.key())] },
  { weight: 1, make: g => [g.rng.pick(['EXISTS', 'TOUCH']), g.key(), g.key()] },
  { weight: 1, make: g => ['TYPE', g.key()] },
  { weight: 2, make: g => ['SET', g.rng.chance(0.8) ? 'plain' : g.key(), g.value(), ...setOptions(g)] },
  { weight: 1, make: g => ['GET', g.rng.chance(0.6) ? 'plain' : g.key()] },
  {
    weight: 1,
    make: g => [
      g.rng.pick(['EXPIRE', 'PEXPIRE']),
      g.key(),
      g.rng.pick<Argument>([100_000, 200_000, 'x', 'zz', '9223372036854775807']),
      ...g.maybe(0.5, g.rng.pick(['NX', 'XX', 'GT', 'LT', 'nx', 'QQ'])),
    ],
  },
  {
    weight: 1,
    make: g => [
      g.rng.pick(['EXPIREAT', 'PEXPIREAT']),
      g.key(),
      g.rng.pick<Argument>([99_999_999_999, 9_999_999_999_999, 'x']),
      ...g.maybe(0.3, g.rng.pick(['NX', 'XX', 'GT', 'LT'])),
    ],
  },
  { weight: 1, make: g => [g.rng.pick(['EXPIRETIME', 'PEXPIRETIME', 'PERSIST', 'TTL', 'PTTL']), g.key()] },
  { weight: 1, make: g => [g.rng.pick(['RENAME', 'RENAMENX']), g.key(), g.key()] },
  {
    weight: 1,
    make: g => [
      'COPY',
      g.key(),
      g.key(),
      ...g.maybe(0.3, 'DB', g.rng.pick<Argument>([0, 1, 16, 'x'])),
      ...g.maybe(0.4, 'REPLACE'),
    ],
  },
  { weight: 1, make: g => ['MOVE', g.key(), g.rng.pick<Argument>([0, 1, 99])] },
  { weight: 1, make: g => ['OBJECT', g.rng.pick(['ENCODING', 'REFCOUNT', 'NOSUCH']), g.key()] },
  { weight: 1, make: () => ['DBSIZE'] },
  {
    weight: 1,
    make: g =>
      ['KEYS', g.rng.pick(['*', 's?', 's[1-2]', '[^s]*', '\\s1', 'x'])]
        .slice(0, 1)
        .concat(g.rng.pick(['s?', 'plain', 'none'])),
  },
]

const FAMILY_KINDS: readonly Kind[] = [
  ...STREAM_AND_KEY_KINDS,
  ...stringKinds,
  ...setKinds,
  ...hashKinds,
  ...listKinds,
  ...zsetKinds,
  ...sortKinds,
  ...dumpKinds,
]

const ALL_KINDS: readonly Kind[] = [...FAMILY_KINDS, ...rowKinds]

function bound(g: Generator, edge: string): Argument {
  if (g.rng.chance(0.4)) return edge
  return g.rng.chance(0.2) ? `(${g.id()}` : g.id()
}

function twoKeys(g: Generator, id: () => Argument): Argument[] {
  return g.rng.chance(0.8) ? [g.key(), id()] : [g.key(), g.key(), id(), id()]
}

function claimOptions(g: Generator): Argument[] {
  return [
    ...g.maybe(0.2, 'IDLE', g.rng.pick<Argument>([0, 100_000_000, 'x'])),
    ...g.maybe(0.1, 'TIME', g.rng.pick<Argument>([0, 1_000_000, 'x'])),
    ...g.maybe(0.2, 'RETRYCOUNT', g.rng.pick<Argument>([0, 3, 'x', '9223372036854775807'])),
    ...g.maybe(0.3, 'FORCE'),
    ...g.maybe(0.3, 'JUSTID'),
    ...g.maybe(0.1, 'LASTID', g.id()),
  ]
}

function setOptions(g: Generator): Argument[] {
  return [
    ...g.maybe(0.1, g.rng.pick(['NX', 'XX'])),
    ...g.maybe(0.1, 'GET'),
    ...g.maybe(0.15, g.rng.pick(['EX', 'PX']), g.rng.pick<Argument>([100_000, 200_000, 0, -1, 'x'])),
    ...g.maybe(0.05, 'KEEPTTL'),
  ]
}
