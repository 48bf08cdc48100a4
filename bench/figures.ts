// What samples say: medians, ratios, spreads. Used by: report, baseline, charts.

import type { Sample } from './sample.js'
import type { Result } from './sampling.js'

export interface Figures {
  readonly perSecond: number
  readonly cpuUs: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly rssAnonBytes: number
  readonly diskBytes: number
  /** (highest - lowest) / median of the throughputs. */
  readonly spread: number
}

export interface Comparison {
  readonly peer: Figures
  readonly millrace: Figures
  /** Millrace / peer; above 1 is better for the throughput, below 1 for the CPU. */
  readonly throughputRatio: number
  /** Undefined where the peer's process cannot be looked into. */
  readonly cpuRatio: number | undefined
  /** How far apart the CPU ratios of single rounds lie, (highest - lowest) / median. */
  readonly cpuRatioSpread: number
}

/** @throws RangeError for no values */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no values have no median')
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

export function spreadOf(values: readonly number[]): number {
  const middle = median(values)
  return middle === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / middle
}

const rate = (s: Sample) => s.operations / s.seconds
const cpuUs = (s: Sample) => (s.cpuSeconds * 1e6) / s.operations

function figures(samples: readonly Sample[]): Figures {
  const of = (read: (s: Sample) => number) => median(samples.map(read))
  return {
    perSecond: of(rate),
    cpuUs: of(cpuUs),
    p50Ms: of(s => s.latency.p50),
    p99Ms: of(s => s.latency.p99),
    rssAnonBytes: of(s => s.rssAnonBytes),
    diskBytes: of(s => s.diskBytes),
    spread: spreadOf(samples.map(rate)),
  }
}

export function compare(result: Result): Comparison {
  const peer = figures(result.peer)
  const millrace = figures(result.millrace)
  const known = peer.cpuUs > 0
  const perRound = known ? result.millrace.map((s, i) => cpuUs(s) / cpuUs(result.peer[i])) : [1]
  return {
    peer,
    millrace,
    throughputRatio: millrace.perSecond / peer.perSecond,
    cpuRatio: known ? millrace.cpuUs / peer.cpuUs : undefined,
    cpuRatioSpread: spreadOf(perRound),
  }
}
