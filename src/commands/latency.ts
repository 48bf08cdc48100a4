// LATENCY: spikes that the monitor has seen, and how long commands take. Samples are kept by exec/latency.

import { ReplyError, quoting } from '../base/errors.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { helpRow } from './help.js'
import { latencyGraph } from './latency-graph.js'
import type { LatencyMonitor, Server } from './server.js'
import { defineCommand, Flag } from './spec.js'
import type { CommandSpec } from './spec.js'

const COMMON = {
  flags: Flag.Admin | Flag.NoScript | Flag.Loading | Flag.Stale,
  categories: [],
  keys: [],
  group: 'server',
  tips: ['nondeterministic_output', 'request_policy:all_nodes', 'response_policy:special'],
} as const
const nothing = (): undefined => undefined

function latest({ reply, server }: CommandContext): void {
  const { events } = server.latency
  reply.array(events.size)
  for (const [name, { samples, maxMs }] of events) {
    const last = samples[samples.length - 1]
    reply.array(4)
    reply.latin1(name)
    reply.integer(last[0])
    reply.integer(last[1])
    reply.integer(maxMs)
  }
}

function history({ reply, server }: CommandContext, event: string): void {
  const samples = server.latency.events.get(event)?.samples ?? []
  reply.array(samples.length)
  for (const [second, ms] of samples) {
    reply.array(2)
    reply.integer(second)
    reply.integer(ms)
  }
}

function graph({ reply, server }: CommandContext, event: string): void {
  const found = server.latency.events.get(event)
  if (found === undefined) throw new ReplyError(quoting`ERR No samples available for event '${event}'`)
  reply.verbatim('txt', latencyGraph(event, found.samples, found.maxMs, Math.floor(server.clock.nowMs() / 1000)))
}

function report({ latency, config }: Server): string {
  if (config.values.latencyMonitorThreshold === 0) {
    return 'Nothing is watched: CONFIG SET latency-monitor-threshold <milliseconds> switches the monitor on.\n'
  }
  if (latency.events.size === 0) return 'Nothing took longer than latency-monitor-threshold so far.\n'
  const lines = [...latency.events].map(([name, { samples, maxMs }]) => {
    const total = samples.reduce((sum, [, ms]) => sum + ms, 0)
    const meanMs = Math.round(total / samples.length)
    return `${name}: ${samples.length} spikes, ${meanMs} ms on average, ${maxMs} ms at most.`
  })
  const advice = 'SLOWLOG GET names the commands; INFO says whether a checkpoint or a slow device is behind it.'
  return `Spikes above ${config.values.latencyMonitorThreshold} ms:\n${lines.join('\n')}\n${advice}\n`
}

/** The commands of a name: a container stands for its subcommands. Unknown names stand for nothing. */
function measured(server: Server, asked: readonly string[]): string[] {
  if (asked.length === 0) return [...server.stats.commands.keys()]
  return asked.flatMap(name => {
    const spec = server.table.find(name)
    if (spec === undefined) return []
    return spec.subcommands === undefined ? [spec.name] : spec.subcommands.map(sub => sub.name)
  })
}

function histogram({ reply, server }: CommandContext, asked: readonly string[]): void {
  const latency: LatencyMonitor = server.latency
  const found = measured(server, asked).flatMap(name => {
    const counted = latency.histogram(name)
    return counted === undefined ? [] : [{ name, counted }]
  })
  reply.map(found.length)
  for (const { name, counted } of found) {
    reply.latin1(name)
    reply.map(2)
    reply.latin1('calls')
    reply.integer(counted.calls)
    reply.latin1('histogram_usec')
    reply.map(counted.buckets.length)
    for (const [us, calls] of counted.buckets) {
      reply.integer(us)
      reply.integer(calls)
    }
  }
}

const subcommands: readonly CommandSpec<never>[] = [
  defineCommand({
    ...COMMON,
    name: 'latency|latest',
    arity: 2,
    since: '2.8.13',
    summary: 'The last and the worst sample of each event.',
    complexity: 'O(1)',
    parse: nothing,
    run: latest,
  }),
  defineCommand({
    ...COMMON,
    name: 'latency|history',
    arity: 3,
    since: '2.8.13',
    summary: 'The samples of an event.',
    complexity: 'O(1)',
    parse: args => args.text(),
    run: history,
  }),
  defineCommand({
    ...COMMON,
    name: 'latency|graph',
    arity: 3,
    since: '2.8.13',
    summary: 'The samples of an event as a drawing in text.',
    complexity: 'O(1)',
    parse: args => args.text(),
    run: graph,
  }),
  defineCommand({
    ...COMMON,
    name: 'latency|reset',
    arity: -2,
    since: '2.8.13',
    summary: 'Forgets the samples of the named events, or all.',
    complexity: 'O(1)',
    tips: ['request_policy:all_nodes', 'response_policy:all_succeeded'],
    parse: (args: Args) => args.texts(),
    run: ({ reply, server }, events) => reply.integer(server.latency.reset(events)),
  }),
  defineCommand({
    ...COMMON,
    name: 'latency|doctor',
    arity: 2,
    since: '2.8.13',
    summary: 'The events in words.',
    complexity: 'O(1)',
    parse: nothing,
    run: ({ reply, server }) => reply.verbatim('txt', report(server)),
  }),
  defineCommand({
    ...COMMON,
    name: 'latency|histogram',
    arity: -2,
    since: '7.0.0',
    summary: 'How many calls of the named commands, or of all, took at most how many microseconds.',
    complexity: 'O(N) in the number of commands',
    parse: (args: Args) => args.texts(),
    run: histogram,
  }),
  helpRow(
    'latency',
    'server',
    [],
    [
      ['DOCTOR', 'The events in words.'],
      ['GRAPH <event>', 'The samples of an event as a drawing in text.'],
      ['HISTORY <event>', 'The samples of an event.'],
      ['LATEST', 'The last and the worst sample of each event.'],
      ['RESET [<event> ...]', 'Forgets the samples of these events (default: of all).'],
      ['HISTOGRAM [COMMAND ...]', 'How long calls of these commands took (default: of all).'],
    ],
  ),
]

export const latencyCommand = defineCommand({
  name: 'latency',
  arity: -2,
  flags: 0,
  categories: [],
  keys: [],
  group: 'server',
  since: '2.8.13',
  summary: 'Spikes, and how long commands take.',
  complexity: 'Depends on the subcommand',
  subcommands,
  parse: nothing,
  run: nothing,
})
