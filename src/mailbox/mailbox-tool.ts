// `millrace mailbox …`: what an operator does to a shard that is out of service. Used by: tools (a row), main.

import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { systemClock } from '../base/clock.js'
import { UsageError } from '../base/errors.js'
import { convertWatermarks } from './convert-watermarks.js'
import { MailboxError } from './mailbox-error.js'
import { MailboxKeys, SHARD_MAX } from './mailbox-keys.js'
import { RedisRegistry } from './redis-registry.js'
import { RedisWatermarks } from './redis-watermarks.js'
import type { WatermarkLayout } from './watermark-blob.js'
import { highestOf, lowestOf } from './watermarks.js'

export const MAILBOX_USAGE = `Usage:
  millrace mailbox show    --shard N              registry and watermarks of a shard
  millrace mailbox fence   --shard N [--epoch E]  raises the epoch: the owner can write no more
  millrace mailbox convert --shard N --to packed-v1|packed-v2 [--dry-run]
                                                  rewrites the watermarks of a fenced shard

  --host H --port P --username U --password W --db D   the server (127.0.0.1, 6379)
  --prefix TEXT                                        in front of all keys
  --epoch E                                            an epoch that is known from elsewhere
  --trust-durability                                   take an epoch as durable without asking the server
`

/** As ToolOutput of src/tools.ts. */
interface Output {
  out(text: string): void
  err(text: string): void
}

interface Options {
  readonly action: string
  readonly shard: number
  readonly to: WatermarkLayout | undefined
  readonly epoch: number | undefined
  readonly dryRun: boolean
  readonly prefix: string
  readonly durability: 'confirmed' | 'trusted'
  readonly connection: { host: string; port: number; username?: string; password?: string; db: number }
}

/** Exit status 0, or 1 when the shard was refused. @throws UsageError */
export async function runMailboxTool(argv: readonly string[], output: Output): Promise<number> {
  if (argv.length === 0 || argv.includes('--help')) {
    output.out(MAILBOX_USAGE)
    return argv.length === 0 ? 1 : 0
  }
  const options = optionsOf(argv)
  const client = new Redis({ ...options.connection, lazyConnect: true, retryStrategy: () => null })
  // The reason comes with the rejected command.
  client.on('error', () => undefined)
  try {
    await client.connect()
    output.out(`${await act(client, options)}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof MailboxError)) throw asUsage(error, options)
    output.err(`millrace mailbox: ${error.message} (${error.code})\n${error.next}\n`)
    return 1
  } finally {
    client.disconnect()
  }
}

async function act(client: Redis, options: Options): Promise<string> {
  const { shard, prefix, durability } = options
  const keys = new MailboxKeys(prefix)
  const registry = new RedisRegistry(client, { keys, clock: systemClock, durability })
  if (options.action === 'fence') {
    const epoch = await registry.fence(shard, options.epoch)
    return `shard ${shard} is fenced; epoch ${epoch} waits for its next owner`
  }
  if (options.action === 'convert') {
    const done = await convertWatermarks(client, shard, options.to!, { dryRun: options.dryRun, keyPrefix: prefix })
    const verb = done.hasWritten ? 'converted' : done.from === done.to ? 'unchanged' : 'would be converted (dry run)'
    return `shard ${shard}: ${done.from} to ${done.to}, epoch ${done.epoch}, ${lanesText(done.lanes)}; ${verb}`
  }
  const state = await registry.state(shard)
  const wm = await new RedisWatermarks(client, keys).read(shard)
  const owner = state.isWaiting ? 'fenced, no owner' : `owner ${state.owner === '' ? 'unknown' : state.owner}`
  return `shard ${shard}: epoch ${wm.epoch}, ${owner}; ${wm.layout}, ${lanesText(wm.lanes)}`
}

function lanesText(lanes: Parameters<typeof lowestOf>[0]): string {
  const empty = lanes.filter(lane => lane === undefined).length
  if (empty === lanes.length) return `${lanes.length} empty lanes`
  const [low, high] = [lowestOf(lanes.filter(lane => lane !== undefined)), highestOf(lanes)]
  return `W ${low === high ? low : `${low} to ${high}`}${empty > 0 ? `, ${empty} empty lanes` : ''}`
}

function optionsOf(argv: readonly string[]): Options {
  const { values, positionals } = parsed(argv)
  const [action] = positionals
  if (positionals.length !== 1 || !['convert', 'fence', 'show'].includes(action)) {
    throw new UsageError(`'${positionals.join(' ')}' is no action of millrace mailbox: convert, fence or show`)
  }
  if (values.shard === undefined) throw new UsageError('--shard names the shard: a whole number')
  if (action === 'convert' && values.to !== 'packed-v1' && values.to !== 'packed-v2') {
    throw new UsageError('--to names the layout: packed-v1 or packed-v2')
  }
  return {
    action,
    shard: wholeNumber('--shard', values.shard, SHARD_MAX),
    to: values.to as WatermarkLayout | undefined,
    epoch: values.epoch === undefined ? undefined : wholeNumber('--epoch', values.epoch, 65_534),
    dryRun: values['dry-run'],
    prefix: values.prefix,
    durability: values['trust-durability'] ? 'trusted' : 'confirmed',
    connection: {
      host: values.host,
      port: wholeNumber('--port', values.port, 65_535),
      username: values.username,
      password: values.password,
      db: wholeNumber('--db', values.db, 2 ** 31 - 1),
    },
  }
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        shard: { type: 'string' },
        to: { type: 'string' },
        epoch: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        'trust-durability': { type: 'boolean', default: false },
        prefix: { type: 'string', default: '' },
        host: { type: 'string', default: '127.0.0.1' },
        port: { type: 'string', default: '6379' },
        username: { type: 'string' },
        password: { type: 'string' },
        db: { type: 'string', default: '0' },
      },
    })
  } catch (error) {
    throw new UsageError(`millrace mailbox: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function wholeNumber(option: string, text: string, max: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > max)
    throw new UsageError(`${option} is a whole number up to ${max}, not '${text}'`)
  return value
}

/** A server that cannot be reached or does not let us in is the operator's matter, in one sentence. */
function asUsage(error: unknown, { connection }: Options): UsageError {
  const reason = error instanceof Error ? error.message : String(error)
  return new UsageError(`the server at ${connection.host}:${connection.port} did not do it: ${reason}`)
}
