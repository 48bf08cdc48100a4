// SORT and SORT_RO: the elements of a list, set or sorted set in another order, and what other keys say about each.
// Elements are latin1 strings throughout, so that '<' compares bytes.

import { ReplyError, replyErrors } from '../base/errors.js'
import { readDouble } from '../base/numbers.js'
import type { Request } from '../resp/request.js'
import type { HashValue } from '../types/hash/hash-value.js'
import type { KeyEntry } from '../types/keyspace.js'
import type { ListValue } from '../types/list/list-value.js'
import type { SetValue } from '../types/set/set-value.js'
import type { ZsetValue } from '../types/zset/zset-value.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { createList } from './list-store.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import type { CommandSpec, KeySpec } from './spec.js'
import { stringOf } from './string-store.js'

const NO_SCORE = "ERR One or more scores can't be converted into double"
/** Elements of one RPUSH in the journal. */
const EFFECT_ELEMENTS_MAX = 1024

interface SortOptions {
  readonly key: string
  alpha: boolean
  descending: boolean
  offset: number
  /** Negative: all. */
  limit: number
  /** BY: the pattern of keys whose values are the weights. */
  by: string | undefined
  /** BY a pattern without a star: the elements stay as they come. */
  unsorted: boolean
  readonly get: string[]
  store: string | undefined
}

function parseSort(args: Args, mayStore: boolean): SortOptions {
  const options: SortOptions = {
    key: args.key(),
    alpha: false,
    descending: false,
    offset: 0,
    limit: -1,
    by: undefined,
    unsorted: false,
    get: [],
    store: undefined,
  }
  while (args.remaining > 0) {
    if (args.take('ASC')) options.descending = false
    else if (args.take('DESC')) options.descending = true
    else if (args.take('ALPHA')) options.alpha = true
    else if (args.remaining >= 3 && args.take('LIMIT')) {
      options.offset = args.integer()
      options.limit = args.integer()
    } else if (mayStore && args.remaining >= 2 && args.take('STORE')) options.store = args.key()
    else if (args.remaining >= 2 && args.take('BY')) {
      options.by = args.text()
      if (!options.by.includes('*')) options.unsorted = true
    } else if (args.remaining >= 2 && args.take('GET')) options.get.push(args.text())
    else throw new ReplyError(replyErrors.syntax)
  }
  return options
}

/** What stands behind `pattern` for an element: '#' is the element, 'key_*' a string, 'key_*->field' a hash's field. */
function valueBy(ctx: CommandContext, pattern: string, element: string): string | undefined {
  if (pattern === '#') return element
  const star = pattern.indexOf('*')
  if (star < 0) return undefined
  const arrow = pattern.indexOf('->', star + 1)
  const named = arrow >= 0 && arrow + 2 < pattern.length
  const key = pattern.slice(0, star) + element + pattern.slice(star + 1, named ? arrow : undefined)
  const entry = ctx.db.find(key)
  if (entry?.type !== (named ? 'hash' : 'string')) return undefined
  const content = named ? (entry.value as HashValue).get(pattern.slice(arrow + 2)) : stringOf(entry).content()
  return typeof content === 'object' ? content.toString('latin1') : content
}

/** Elements [from, to) as they come; of a list or sorted set from the last on if `descending`. */
function elementsOf(entry: KeyEntry, from: number, to: number, descending: boolean): string[] {
  const elements: string[] = []
  if (entry.type === 'list') {
    const list = entry.value as ListValue
    const [first, last] = descending ? [list.count - to, list.count - from] : [from, to]
    list.visit(first, last, false, (page, pageFrom, pageTo) => {
      for (let i = pageFrom; i < pageTo; i++) elements.push(page.at(i).toString('latin1'))
      return false
    })
    if (descending) elements.reverse()
  } else if (entry.type === 'zset') {
    const zset = entry.value as ZsetValue
    const take = (member: string) => void elements.push(member)
    if (descending) zset.eachDown(take, zset.count - to, zset.count - from)
    else zset.each(take, from, to)
  } else {
    ;(entry.value as SetValue).each(member => void elements.push(member))
    return elements.slice(from, to)
  }
  return elements
}

/** As C's strtod takes a text: it ends at a byte 0, blanks before the number are passed over, nothing at all is 0. */
function scoreOf(element: string): number {
  const end = element.indexOf('\0')
  const text = end < 0 ? element : element.slice(0, end)
  if (text === '') return 0
  const bytes = Buffer.from(text.replace(/^[ \t\n\v\f\r]+/, ''), 'latin1')
  const score = readDouble(bytes, 0, bytes.length)
  if (score === undefined) throw new ReplyError(NO_SCORE)
  return score
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

interface Weighed<W> {
  readonly element: string
  readonly weight: W
}

/** Without a weight an element stands before all that have one. */
function compareAlpha(a: Weighed<string | undefined>, b: Weighed<string | undefined>): number {
  if (a.weight === undefined || b.weight === undefined)
    return Number(b.weight === undefined) - Number(a.weight === undefined)
  return compareTexts(a.weight, b.weight)
}

/** Equal scores are told apart by the elements, so that the order is the same each time. */
function compareScores(a: Weighed<number>, b: Weighed<number>): number {
  return a.weight < b.weight ? -1 : a.weight > b.weight ? 1 : compareTexts(a.element, b.element)
}

function sorted(ctx: CommandContext, elements: readonly string[], options: SortOptions, by?: string): string[] {
  const weightOf = (element: string) => (by === undefined ? element : valueBy(ctx, by, element))
  const sign = options.descending ? -1 : 1
  if (options.alpha) {
    const weighed = elements.map(element => ({ element, weight: weightOf(element) }))
    return weighed.sort((a, b) => sign * compareAlpha(a, b)).map(({ element }) => element)
  }
  const weighed = elements.map(element => {
    const weight = weightOf(element)
    return { element, weight: weight === undefined ? 0 : scoreOf(weight) }
  })
  return weighed.sort((a, b) => sign * compareScores(a, b)).map(({ element }) => element)
}

function chosenElements(ctx: CommandContext, options: SortOptions): string[] {
  const entry = ctx.db.find(options.key)
  if (entry === undefined) return []
  if (entry.type !== 'list' && entry.type !== 'set' && entry.type !== 'zset')
    throw new ReplyError(replyErrors.wrongType)
  const { count } = entry.value as ListValue | SetValue | ZsetValue
  const from = Math.min(Math.max(options.offset, 0), count)
  const to = options.limit < 0 ? count : Math.min(from + options.limit, count)
  // A set has no order of its own that could be stored, or that a script could rely on.
  const needsOrder = options.store !== undefined || ctx.session.isScript === true
  const orderSet = options.unsorted && entry.type === 'set' && needsOrder
  if (options.unsorted && !orderSet) return elementsOf(entry, from, to, options.descending)
  const all = elementsOf(entry, 0, count, false)
  const order = orderSet ? sorted(ctx, all, { ...options, alpha: true }) : sorted(ctx, all, options, options.by)
  return order.slice(from, to)
}

/** Journaled as what came out: another run could meet other weights. */
function store(ctx: CommandContext, key: string, values: readonly string[]): void {
  const existed = ctx.db.findToWrite(key) !== undefined
  if (values.length === 0) {
    if (!existed) return
    ctx.db.remove(key)
    ctx.effect('DEL', key)
    ctx.touched(key)
    ctx.notify('g', 'del', key)
    return
  }
  const list = createList(ctx, key)
  for (const value of values) list.pushLast(Buffer.from(value, 'latin1'))
  if (existed) ctx.effect('DEL', key)
  for (let at = 0; at < values.length; at += EFFECT_ELEMENTS_MAX) {
    ctx.effect('RPUSH', key, ...values.slice(at, at + EFFECT_ELEMENTS_MAX))
  }
  ctx.touched(key)
  ctx.notify('l', 'sortstore', key)
}

/** BY and GET read keys that the command does not name, so that only who may read every key may use them. */
function checkDerivedKeys(ctx: CommandContext, { by, unsorted, get }: SortOptions): void {
  const { account } = ctx.session
  if (account.unrestricted || ((by === undefined || unsorted) && get.length === 0)) return
  if (account.readsEveryKeyWith(ctx.server.table.lookup(ctx.request)!, ctx.request)) return
  const option = by !== undefined && !unsorted ? 'BY' : 'GET'
  throw new ReplyError(`ERR ${option} option of SORT denied due to insufficient ACL permissions.`)
}

function run(ctx: CommandContext, options: SortOptions): void {
  checkDerivedKeys(ctx, options)
  const elements = chosenElements(ctx, options)
  const { get } = options
  const values: (string | undefined)[] =
    get.length === 0 ? elements : elements.flatMap(element => get.map(pattern => valueBy(ctx, pattern, element)))
  if (options.store !== undefined) {
    store(
      ctx,
      options.store,
      values.map(value => value ?? ''),
    )
    return ctx.reply.integer(values.length)
  }
  ctx.reply.array(values.length)
  for (const value of values) {
    if (value === undefined) ctx.reply.nullBulk()
    else ctx.reply.latin1(value)
  }
}

/** The key behind the last STORE that is an option, not the argument of one. */
function storeKeyAt(request: Request): number[] {
  let at = 0
  for (let i = 2; i < request.argc; i++) {
    if (request.is(i, 'LIMIT')) i += 2
    else if (request.is(i, 'GET') || request.is(i, 'BY')) i++
    else if (request.is(i, 'STORE') && i + 1 < request.argc) at = ++i
  }
  return at === 0 ? [] : [at]
}

const SORTED = keysAt(['RO', 'access'], 1)
/** Keys that BY and GET make out of the data. */
const DERIVED: KeySpec = { flags: ['RO', 'access'], begin: 'unknown', find: 'unknown' }
const STORED: KeySpec = { flags: ['OW', 'update'], begin: 'unknown', find: 'unknown', locate: storeKeyAt }

const COMMON = {
  arity: -2,
  group: 'generic',
  complexity: 'O(N+M*log(M)): N elements, M answered; O(N) when nothing is sorted',
} as const

export const sortCommands: readonly CommandSpec<never>[] = [
  defineCommand({
    ...COMMON,
    name: 'sort',
    flags: Flag.Write | Flag.DenyOom | Flag.MovableKeys,
    categories: ['set', 'sortedset', 'list', 'dangerous'],
    keys: [...SORTED, DERIVED, STORED],
    since: '1.0.0',
    summary: 'Sorts a list, set or sorted set, and answers the elements or stores them as a list.',
    parse: args => parseSort(args, true),
    run,
  }),
  defineCommand({
    ...COMMON,
    name: 'sort_ro',
    flags: Flag.ReadOnly | Flag.MovableKeys,
    categories: ['set', 'sortedset', 'list', 'dangerous'],
    keys: [...SORTED, DERIVED],
    since: '7.0.0',
    summary: 'Sorts a list, set or sorted set, and answers the elements.',
    parse: args => parseSort(args, false),
    run,
  }),
]
