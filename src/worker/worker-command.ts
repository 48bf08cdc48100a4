// millrace worker: a live table of consumer groups, their consumers, lag, pending entries, ages and rates. Used by:
// tools. It only reads, so it may run beside anything, on Millrace and on Redis.

import { Command, CommanderError } from 'commander'
import { Redis } from 'ioredis'
import { systemClock } from '../base/clock.js'
import type { Clock } from '../base/clock.js'
import { UsageError } from '../base/errors.js'
import { pause } from '../client/waiting.js'
import type { StreamFigures } from './group-figures.js'
import { streamFigures } from './group-figures.js'
import { groupRates, groupTable } from './group-table.js'

interface Output {
  out(text: string): void
  err(text: string): void
}

interface Options {
  readonly host: string
  readonly port: string
  readonly user?: string
  readonly pass?: string
  readonly interval: string
  readonly count?: string
  readonly json?: boolean
}

const SCAN_COUNT = 1000
const STREAMS_MAX = 100
const HOME_AND_CLEAR = '\x1b[H\x1b[J'

/** @throws UsageError for arguments that make no sense, or a server that does not answer */
export async function runWorkerCommand(
  argv: readonly string[],
  output: Output,
  clock: Clock = systemClock,
): Promise<number> {
  const parsed = parse(argv, output)
  if (parsed === undefined) return 0
  const { streams, options } = parsed
  const intervalMs = number('interval', options.interval, 0.01) * 1000
  const rounds = options.count === undefined ? Infinity : number('count', options.count, 1)
  const redis = new Redis({
    host: options.host,
    port: number('port', options.port, 1),
    username: options.user,
    password: options.pass,
    lazyConnect: true,
    retryStrategy: null,
  })
  redis.on('error', () => undefined)
  try {
    await redis.connect()
    let before: Shown | undefined
    for (let round = 1; round <= rounds; round++) {
      if (round > 1) await pause(intervalMs)
      const names = streams.length > 0 ? streams : await streamNames(redis)
      const now: Shown = { atUs: clock.monotonicUs(), streams: await figuresOf(redis, names) }
      output.out(shown(before, now, options.json === true, rounds === Infinity))
      before = now
    }
    return 0
  } catch (error) {
    throw new UsageError(`the server at ${options.host}:${options.port} did not answer: ${(error as Error).message}`)
  } finally {
    redis.disconnect()
  }
}

interface Shown {
  readonly atUs: number
  readonly streams: readonly StreamFigures[]
}

function shown(before: Shown | undefined, now: Shown, json: boolean, live: boolean): string {
  const seconds = before === undefined ? 0 : (now.atUs - before.atUs) / 1e6
  const rates = groupRates(before?.streams ?? [], now.streams, seconds)
  if (!json) return `${live ? HOME_AND_CLEAR : ''}${groupTable(now.streams, rates)}`
  return `${JSON.stringify({ streams: now.streams, rates: Object.fromEntries(rates) })}\n`
}

function parse(argv: readonly string[], output: Output): { streams: string[]; options: Options } | undefined {
  const command = new Command('millrace worker')
    .description('Shows the consumer groups of streams (all streams when none is named) until it is interrupted.')
    .argument('[stream...]')
    .option('--host <host>', 'server', '127.0.0.1')
    .option('-p, --port <port>', 'port of the server', '6379')
    .option('--user <name>', 'user')
    .option('--pass <password>', 'password')
    .option('-i, --interval <seconds>', 'time between two looks', '1')
    .option('-n, --count <looks>', 'end after so many looks')
    .option('--json', 'one JSON object per look, a line each')
    .exitOverride()
    .configureOutput({ writeOut: text => output.out(text), writeErr: () => undefined })
  try {
    command.parse([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return undefined
    throw new UsageError(error.message.replace(/^error: /, ''))
  }
  return { streams: command.args, options: command.opts<Options>() }
}

function number(name: string, text: string, least: number): number {
  const value = Number(text)
  if (!(value >= least)) throw new UsageError(`--${name} is a number of at least ${least}, not '${text}'`)
  return value
}

async function streamNames(redis: Redis): Promise<string[]> {
  const names = new Set<string>()
  for (let cursor = '0'; ;) {
    const [next, keys] = await redis.scan(cursor, 'COUNT', SCAN_COUNT, 'TYPE', 'stream')
    for (const key of keys) names.add(key)
    if (next === '0' || names.size >= STREAMS_MAX) return [...names].sort().slice(0, STREAMS_MAX)
    cursor = next
  }
}

/** A stream that went away between the two looks, or is none, is left out. */
async function figuresOf(redis: Redis, names: readonly string[]): Promise<StreamFigures[]> {
  const found: StreamFigures[] = []
  for (const name of names) {
    try {
      found.push(await streamFigures(redis, name))
    } catch (error) {
      if (!/no such key|WRONGTYPE|NOGROUP/.test((error as Error).message)) throw error
    }
  }
  return found
}
