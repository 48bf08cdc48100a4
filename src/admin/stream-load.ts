// `millrace load-stream`: a dumped stream into a running server, Millrace or Redis 7, by ordinary commands. The file is
// verified first; the stream grows under a name of its own and takes the key when it is whole, so that nobody sees a
// part of it. Not kept: when consumers were last seen, which no command can set.

import { Redis } from 'ioredis'
import type { ChainableCommander } from 'ioredis'
import RedisParser from 'redis-parser'
import { CorruptionError, UsageError } from '../base/errors.js'
import { randomBelow } from '../base/random.js'
import { compareIds, parseId } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import type { ToolRun } from '../base/tool.js'
import type { ByteReader } from '../pages/byte-reader.js'
import { quoted } from './finding-text.js'
import { readStreamFile, SECTION } from './stream-file.js'
import { parsed, toolCommand } from './tool-arguments.js'

const COMMANDS_PER_BATCH = 1000
const IDS_PER_CLAIM = 1000
const CONNECT_MS_MAX = 10_000

interface Options {
  readonly host: string
  readonly port: string
  readonly socket?: string
  readonly user?: string
  readonly pass?: string
  readonly key?: string
  readonly db?: string
  readonly replace?: boolean
}

type Argument = string | number | Buffer

interface Heading {
  /** latin1 */
  readonly key: string
  readonly database: number
  readonly expireAtMs: number
  readonly lastId: string
  readonly maxDeletedId: string
  readonly entriesAdded: string
  readonly length: number
  readonly groups: number
}

export const loadStreamTool: ToolRun = async (argv, output) => {
  const command = toolCommand('load-stream', 'Brings a dumped stream into a running server.', output)
    .argument('<file>', 'what dump-stream wrote')
    .option('--host <name>', 'of the server', '127.0.0.1')
    .option('--port <n>', 'of the server', '6379')
    .option('--socket <path>', 'Unix socket of the server, in place of host and port')
    .option('--user <name>', 'user to authenticate as')
    .option('--pass <word>', 'its password')
    .option('--key <name>', 'another name for the stream')
    .option('--db <n>', 'another database')
    .option('--replace', 'takes the place of the key if there is one')
  if (!parsed(command, argv)) return 0
  const options = command.opts<Options>()
  const [file] = command.args
  const heading = verified(file)
  const key = options.key === undefined ? Buffer.from(heading.key, 'latin1') : Buffer.from(options.key)
  const client = connect(options, options.db === undefined ? heading.database : Number(options.db))
  try {
    await client.connect()
    const load = new Load(
      client,
      file,
      heading,
      Buffer.from(`${key.latin1Slice()}:loading:${randomBelow(2 ** 40)}`, 'latin1'),
    )
    const words = await load.run(key, options.replace === true)
    output.out(`${quoted(key.latin1Slice())}: ${words}\n`)
  } catch (error) {
    if (error instanceof UsageError || error instanceof CorruptionError) throw error
    throw new UsageError(`The stream was not loaded: ${(error as Error).message}.`)
  } finally {
    client.disconnect()
  }
  return 0
}

function connect(options: Options, db: number): Redis {
  const place =
    options.socket === undefined ? { host: options.host, port: Number(options.port) } : { path: options.socket }
  const client = new Redis({
    ...place,
    ...(options.user !== undefined && { username: options.user }),
    ...(options.pass !== undefined && { password: options.pass }),
    db,
    lazyConnect: true,
    connectTimeout: CONNECT_MS_MAX,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  })
  // Whoever waits for a reply is told; without a listener the client would print it as well.
  client.on('error', () => undefined)
  return client
}

/** Reads the whole file once; its heading. @throws UsageError, CorruptionError unless it is whole and counts right */
export function verified(path: string): Heading {
  let heading: Heading | undefined
  const counted = { entries: 0, groups: 0, pending: 0 }
  for (const { kind, body } of readStreamFile(path)) {
    if (heading === undefined && kind !== SECTION.stream) throw disordered(path)
    if (kind === SECTION.stream) heading = readHeading(body)
    else if (kind === SECTION.entries) counted.entries += body.varint()
    else if (kind === SECTION.group) counted.groups++
    else if (kind === SECTION.pending) counted.pending += body.varint()
    else if (kind === SECTION.end) {
      const told = [body.sizedText(), body.sizedText(), body.sizedText()].map(Number)
      const right = [counted.entries, counted.groups, counted.pending].every((count, i) => count === told[i])
      if (!right || counted.entries !== heading?.length || counted.groups !== heading.groups) throw disordered(path)
    }
  }
  if (heading === undefined) throw disordered(path)
  return heading
}

function disordered(path: string): CorruptionError {
  return new CorruptionError(`The file ${path} contradicts itself: its sections are not those that it counts.`)
}

function readHeading(body: ByteReader): Heading {
  const text = (): string => body.sizedText()
  return {
    key: text(),
    database: Number(text()),
    expireAtMs: Number(text()),
    lastId: text(),
    maxDeletedId: text(),
    entriesAdded: text(),
    length: Number(text()),
    groups: Number(text()),
  }
}

class Load {
  readonly #client: Redis
  readonly #file: string
  readonly #heading: Heading
  readonly #key: Buffer
  #batch: ChainableCommander
  #queued = 0
  /** IDs that are pending and no entries: added as such for a while, ascending. */
  #deleted: string[] = []
  #nextDeleted = 0
  #group = ''
  #consumers: string[] = []
  /** Of each group that knows its entries-read: what XGROUP SETID wants behind the key. */
  readonly #progress: Argument[][] = []
  #pending = 0

  constructor(client: Redis, file: string, heading: Heading, key: Buffer) {
    this.#client = client
    this.#file = file
    this.#heading = heading
    this.#key = key
    this.#batch = client.pipeline()
  }

  /** Returns what was loaded, in words. */
  async run(target: Buffer, replace: boolean): Promise<string> {
    if (!replace && (await this.#client.exists(target)) > 0) {
      throw new UsageError(`The server has the key ${quoted(target.latin1Slice())} already; --replace takes its place.`)
    }
    try {
      await this.#fill()
      const { expireAtMs, length, groups } = this.#heading
      const renamed = await this.#client.call(replace ? 'RENAME' : 'RENAMENX', this.#key, target)
      if (renamed === 0)
        throw new UsageError(`The key ${quoted(target.latin1Slice())} was made by somebody else meanwhile.`)
      if (expireAtMs > 0) await this.#client.call('PEXPIREAT', target, expireAtMs)
      return `${length} entries, ${groups} groups, ${this.#pending} pending`
    } catch (error) {
      await this.#client.unlink(this.#key).catch(() => undefined)
      throw error
    }
  }

  async #fill(): Promise<void> {
    // A stream may be empty: only a group makes such a one.
    this.#send('XGROUP', 'CREATE', this.#key, 'nobody', '0', 'MKSTREAM')
    this.#send('XGROUP', 'DESTROY', this.#key, 'nobody')
    let afterEntries = false
    for (const { kind, body } of readStreamFile(this.#file)) {
      if (kind === SECTION.deleted) this.#readDeleted(body)
      else if (kind === SECTION.entries) this.#entries(body)
      else if (kind === SECTION.group || kind === SECTION.end) {
        if (!afterEntries) this.#deletedBefore(undefined)
        afterEntries = true
        if (kind === SECTION.group) this.#createGroup(body)
      } else if (kind === SECTION.consumer) this.#createConsumer(body)
      else if (kind === SECTION.pending) this.#claim(body)
      if (this.#queued >= COMMANDS_PER_BATCH) await this.#flush()
    }
    const { lastId, entriesAdded, maxDeletedId } = this.#heading
    for (const id of this.#deleted) this.#send('XDEL', this.#key, id)
    this.#send('XSETID', this.#key, lastId, 'ENTRIESADDED', entriesAdded, 'MAXDELETEDID', maxDeletedId)
    // Now that the stream knows how many were added: what a group says to have read is bounded by it.
    for (const progress of this.#progress) this.#send('XGROUP', 'SETID', this.#key, ...progress)
    await this.#flush()
  }

  #readDeleted(body: ByteReader): void {
    for (let rest = body.varint(); rest > 0; rest--) this.#deleted.push(body.sizedText())
  }

  #entries(body: ByteReader): void {
    body.varint()
    for (const [id, fields] of entriesIn(body.sized())) {
      this.#deletedBefore(idOf(id))
      this.#send('XADD', this.#key, id, ...fields)
    }
  }

  /** Adds the deleted IDs below `id`, all that are left when it is undefined. */
  #deletedBefore(id: StreamId | undefined): void {
    for (; this.#nextDeleted < this.#deleted.length; this.#nextDeleted++) {
      const next = this.#deleted[this.#nextDeleted]
      if (id !== undefined && compareIds(idOf(Buffer.from(next)), id) > 0) return
      this.#send('XADD', this.#key, next, '', '')
    }
  }

  #createGroup(body: ByteReader): void {
    const [name, lastDelivered, entriesRead] = [body.sizedText(), body.sizedText(), body.sizedText()]
    this.#group = name
    this.#consumers = []
    this.#send('XGROUP', 'CREATE', this.#key, latin1(name), lastDelivered)
    if (entriesRead !== '') this.#progress.push([latin1(name), lastDelivered, 'ENTRIESREAD', entriesRead])
  }

  #createConsumer(body: ByteReader): void {
    const name = body.sizedText()
    this.#consumers.push(name)
    this.#send('XGROUP', 'CREATECONSUMER', this.#key, latin1(this.#group), latin1(name))
  }

  #claim(body: ByteReader): void {
    let ids: string[] = []
    let alike = ''
    const claim = (): void => {
      if (ids.length === 0) return
      const [consumer, delivered, deliveries] = alike.split(' ')
      const owner = Number(consumer)
      if (owner === this.#consumers.length) {
        // What XNACK released belongs to nobody.
        const released = ['FAIL', 'IDS', ids.length, ...ids, 'RETRYCOUNT', deliveries, 'FORCE']
        this.#send('XNACK', this.#key, latin1(this.#group), ...released)
      } else {
        const rest = ['TIME', delivered, 'RETRYCOUNT', deliveries, 'FORCE', 'JUSTID']
        this.#send('XCLAIM', this.#key, latin1(this.#group), latin1(this.#consumers[owner]), 0, ...ids, ...rest)
      }
      this.#pending += ids.length
      ids = []
    }
    for (let rest = body.varint(); rest > 0; rest--) {
      const [id, delivered, deliveries] = [body.sizedText(), body.sizedText(), body.sizedText()]
      const now = `${body.varint()} ${delivered} ${deliveries}`
      if (now !== alike || ids.length === IDS_PER_CLAIM) claim()
      alike = now
      ids.push(id)
    }
    claim()
  }

  #send(name: string, ...args: Argument[]): void {
    this.#batch.call(name, ...args)
    this.#queued++
  }

  async #flush(): Promise<void> {
    const batch = this.#batch
    this.#batch = this.#client.pipeline()
    this.#queued = 0
    for (const [error] of (await batch.exec()) ?? []) if (error !== null) throw error
  }
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function idOf(text: Buffer): StreamId {
  const id = parseId(text, 0, text.length)
  if (id === undefined) throw new CorruptionError(`The stream file holds the ID ${quoted(text.latin1Slice())}.`)
  return id
}

/** Entries as a reader receives them: ID, then fields and values. */
function entriesIn(bytes: Buffer): [id: Buffer, fields: Buffer[]][] {
  const entries: [Buffer, Buffer[]][] = []
  const parser = new RedisParser({
    returnReply: (reply: [Buffer, Buffer[]]) => void entries.push(reply),
    returnError: (error: Error) => {
      throw new CorruptionError(`The stream file holds entries that are none: ${error.message}.`)
    },
    returnBuffers: true,
  })
  parser.execute(bytes)
  return entries
}
