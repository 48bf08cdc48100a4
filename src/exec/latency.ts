// LATENCY: samples of events that took longer than latency-monitor-threshold, and the histograms of all commands.
// Used by the executor and by whoever does slow work beside it (expire cycle, journal).

import type { LatencyMonitor } from '../commands/server.js'
import type { ServerStats } from './stats.js'

type Sample = readonly [second: number, ms: number]

interface EventSamples {
  readonly samples: Sample[]
  maxMs: number
}

/** As in Redis: older samples of an event fall out. */
const SAMPLES_MAX = 160

export class Latency implements LatencyMonitor {
  readonly events = new Map<string, EventSamples>()
  /** latency-monitor-threshold in ms; 0 switches sampling off. */
  thresholdMs = 0
  readonly #stats: ServerStats

  constructor(stats: ServerStats) {
    this.#stats = stats
  }

  /** Notes that `event` took `ms` at Unix time `nowMs`, if that is worth noting. One sample per second, the worst. */
  sample(event: string, ms: number, nowMs: number): void {
    if (this.thresholdMs === 0 || ms < this.thresholdMs) return
    const whole = Math.floor(ms)
    const second = Math.floor(nowMs / 1000)
    let entry = this.events.get(event)
    if (entry === undefined) {
      entry = { samples: [], maxMs: 0 }
      this.events.set(event, entry)
    }
    entry.maxMs = Math.max(entry.maxMs, whole)
    const last = entry.samples.at(-1)
    if (last !== undefined && last[0] === second) {
      if (whole > last[1]) entry.samples[entry.samples.length - 1] = [second, whole]
      return
    }
    entry.samples.push([second, whole])
    if (entry.samples.length > SAMPLES_MAX) entry.samples.shift()
  }

  reset(events: readonly string[]): number {
    if (events.length === 0) {
      const count = this.events.size
      this.events.clear()
      return count
    }
    let count = 0
    for (const event of events) if (this.events.delete(event)) count++
    return count
  }

  histogram(command: string): { calls: number; buckets: [number, number][] } | undefined {
    const stat = this.#stats.commands.get(command)
    if (stat === undefined || stat.histogram.calls === 0) return undefined
    return { calls: stat.histogram.calls, buckets: stat.histogram.buckets() }
  }

  percentile(command: string, percent: number): number | undefined {
    return this.#stats.commands.get(command)?.histogram.percentile(percent)
  }
}
