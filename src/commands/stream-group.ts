// XGROUP and its subcommands. Used by: stream-commands. Uses: stream-arguments.

import { ReplyError } from '../base/errors.js'
import { streamErrors } from '../base/stream-errors.js'
import { formatId, ID_MIN } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import { Stream } from '../types/stream/stream-api.js'
import type { ConsumerGroup, Count } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { helpRow } from './help.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { attempt, granted, idAt, rangeIdAt, streamToWrite, subcommandSyntax } from './stream-arguments.js'

const CREATE_ARGC_MAX = 8
const SETID_ARGC_MAX = 7
const DOLLAR = '$'

interface GroupOptions {
  key: string
  group: string
  /** '$' is what is last now. Redis looks for the group before it complains about the ID. */
  id: StreamId | typeof DOLLAR | ReplyError
  makeStream: boolean
  /** undefined = unknown. */
  entriesRead: Count | undefined
  /** Too many arguments, although each is an option: an error that comes after those about the key. */
  excess: ReplyError | undefined
}

function parseGroupOptions(a: Args, argcMax: number, readId: (a: Args) => StreamId): GroupOptions {
  const options: GroupOptions = {
    key: a.key(),
    group: a.text(),
    id: a.peekIs(DOLLAR) ? DOLLAR : attempt(a, readId),
    makeStream: false,
    entriesRead: undefined,
    excess: a.request.argc > argcMax ? subcommandSyntax('XGROUP', a) : undefined,
  }
  a.at++
  while (a.remaining > 0) {
    if (argcMax === CREATE_ARGC_MAX && a.take('MKSTREAM')) {
      options.makeStream = true
    } else if (a.remaining > 1 && a.take('ENTRIESREAD')) {
      const entriesRead = a.int64()
      if (entriesRead < -1) throw new ReplyError(streamErrors.entriesReadNegative)
      options.entriesRead = entriesRead < 0 ? undefined : entriesRead
    } else {
      throw subcommandSyntax('XGROUP', a)
    }
  }
  return options
}

/** Strict: '-' and '+' are no IDs for CREATE, though they are for SETID. */
function plainId(a: Args): StreamId {
  const id = idAt(a.request, a.at)
  if (id === undefined) throw new ReplyError(streamErrors.invalidId)
  return id
}

function rangeId(a: Args): StreamId {
  return rangeIdAt(a.request, a.at, 0)
}

/** @throws ReplyError when the key does not exist or is no stream */
function streamNeeded(ctx: CommandContext, key: string): Stream {
  const stream = streamToWrite(ctx, key)
  if (stream === undefined) throw new ReplyError(streamErrors.groupNeedsKey)
  return stream
}

/** @throws ReplyError also when the group does not exist */
function groupNeeded(ctx: CommandContext, key: string, name: string): ConsumerGroup {
  const group = streamNeeded(ctx, key).group(name)
  if (group === undefined) throw new ReplyError(streamErrors.noGroup(key, name))
  return group
}

function runCreate(ctx: CommandContext, options: GroupOptions): void {
  const { key, group } = options
  const known = options.makeStream ? streamToWrite(ctx, key) : streamNeeded(ctx, key)
  if (options.excess !== undefined) throw options.excess
  const id = options.id === DOLLAR ? (known?.lastId ?? ID_MIN) : granted(options.id)
  if (known?.group(group) !== undefined) throw new ReplyError(streamErrors.groupExists)
  const stream = known ?? Stream.create(ctx.keyspace.rows)
  if (known === undefined) {
    ctx.db.put(key, stream)
    ctx.touched(key)
  }
  stream.createGroup(group, id, options.entriesRead)
  ctx.reply.ok()
  const made = options.makeStream ? ['MKSTREAM'] : []
  const read = options.entriesRead === undefined ? [] : ['ENTRIESREAD', options.entriesRead]
  if (options.id === DOLLAR) ctx.effect('XGROUP', 'CREATE', key, group, formatId(id), ...made, ...read)
  else ctx.changed()
  ctx.notify('t', 'xgroup-create', key)
}

const create = defineCommand<GroupOptions>({
  name: 'xgroup|create',
  arity: -5,
  flags: Flag.Write | Flag.DenyOom,
  categories: ['stream'],
  keys: keysAt(['RW', 'insert'], 2),
  group: 'stream',
  since: '5.0.0',
  summary: 'Creates a consumer group that has read up to an ID, and the stream if asked.',
  complexity: 'O(1)',
  parse: a => parseGroupOptions(a, CREATE_ARGC_MAX, plainId),
  run: runCreate,
})

const setId = defineCommand<GroupOptions>({
  name: 'xgroup|setid',
  arity: -5,
  flags: Flag.Write,
  categories: ['stream'],
  keys: keysAt(['RW', 'update'], 2),
  group: 'stream',
  since: '5.0.0',
  summary: 'Sets the ID up to which a group has read.',
  complexity: 'O(1)',
  parse: a => parseGroupOptions(a, SETID_ARGC_MAX, rangeId),
  run(ctx, options) {
    const { key } = options
    const group = groupNeeded(ctx, key, options.group)
    if (options.excess !== undefined) throw options.excess
    const id = options.id === DOLLAR ? streamNeeded(ctx, key).lastId : granted(options.id)
    group.setId(id, options.entriesRead)
    ctx.reply.ok()
    const read = options.entriesRead === undefined ? [] : ['ENTRIESREAD', options.entriesRead]
    if (options.id === DOLLAR) ctx.effect('XGROUP', 'SETID', key, options.group, formatId(id), ...read)
    else ctx.changed()
    ctx.notify('t', 'xgroup-setid', key)
  },
})

interface DestroyOptions {
  key: string
  group: string
}

const destroy = defineCommand<DestroyOptions>({
  name: 'xgroup|destroy',
  arity: 4,
  flags: Flag.Write,
  categories: ['stream'],
  keys: keysAt(['RW', 'delete'], 2),
  group: 'stream',
  since: '5.0.0',
  summary: 'Removes a consumer group with its consumers and pending entries.',
  complexity: 'O(1); consumers and pending entries are reclaimed in the background',
  parse: a => ({ key: a.key(), group: a.text() }),
  run(ctx, { key, group }) {
    const destroyed = streamNeeded(ctx, key).destroyGroup(group, rest => ctx.keyspace.bury(rest))
    ctx.reply.integer(destroyed ? 1 : 0)
    if (!destroyed) return
    ctx.changed()
    // Who waits for this group must hear that it is gone; for WATCH, as in Redis, nothing has changed.
    ctx.wake(key)
    ctx.notify('t', 'xgroup-destroy', key)
  },
})

interface ConsumerOptions {
  key: string
  group: string
  consumer: string
}

function parseConsumer(a: Args): ConsumerOptions {
  return { key: a.key(), group: a.text(), consumer: a.text() }
}

const createConsumer = defineCommand<ConsumerOptions>({
  name: 'xgroup|createconsumer',
  arity: 5,
  flags: Flag.Write | Flag.DenyOom,
  categories: ['stream'],
  keys: keysAt(['RW', 'insert'], 2),
  group: 'stream',
  since: '6.2.0',
  summary: 'Creates a consumer in a group; answers 0 when there is one of that name.',
  complexity: 'O(log C) in the consumers',
  parse: parseConsumer,
  run(ctx, { key, group, consumer }) {
    const { created } = groupNeeded(ctx, key, group).ensureConsumer(consumer, ctx.nowMs)
    ctx.reply.integer(created ? 1 : 0)
    if (!created) return
    ctx.changed()
    ctx.notify('t', 'xgroup-createconsumer', key)
  },
})

const deleteConsumer = defineCommand<ConsumerOptions>({
  name: 'xgroup|delconsumer',
  arity: 5,
  flags: Flag.Write,
  categories: ['stream'],
  keys: keysAt(['RW', 'delete'], 2),
  group: 'stream',
  since: '5.0.0',
  summary: 'Deletes a consumer and its pending entries; answers how many those were.',
  complexity: 'O(N) in its pending entries',
  parse: parseConsumer,
  run(ctx, { key, group, consumer }) {
    const pending = groupNeeded(ctx, key, group).deleteConsumer(consumer)
    ctx.reply.integer(pending ?? 0)
    if (pending === undefined) return
    ctx.changed()
    ctx.notify('t', 'xgroup-delconsumer', key)
  },
})

const help = helpRow(
  'xgroup',
  'stream',
  ['stream'],
  [
    [
      'CREATE <key> <group> <id|$> [MKSTREAM] [ENTRIESREAD <count>]',
      'A new group that has read up to the ID; MKSTREAM makes the stream if need be.',
    ],
    ['CREATECONSUMER <key> <group> <consumer>', 'A new consumer of the group.'],
    ['DELCONSUMER <key> <group> <consumer>', 'Deletes the consumer and what it has pending.'],
    ['DESTROY <key> <group>', 'Removes the group.'],
    ['SETID <key> <group> <id|$> [ENTRIESREAD <count>]', 'Sets up to where the group has read, and its counter.'],
  ],
)

export const xgroup = defineCommand<undefined>({
  name: 'xgroup',
  arity: -2,
  flags: 0,
  categories: [],
  keys: [],
  group: 'stream',
  since: '5.0.0',
  summary: 'Consumer groups of a stream.',
  complexity: 'By subcommand',
  subcommands: [create, createConsumer, deleteConsumer, destroy, help, setId],
  parse: () => undefined,
  run: () => undefined,
})
