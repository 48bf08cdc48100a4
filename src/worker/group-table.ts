// The figures of consumer groups as a table for people, and rates between two looks. Used by: worker-command. Pure.

import type { GroupFigures, StreamFigures } from './group-figures.js'

export interface Rates {
  /** Entries delivered to the group for the first time, per second. */
  readonly deliveredPerS: number
  /** Entries acknowledged, per second. */
  readonly acknowledgedPerS: number
}

const keyOf = (stream: string, group: string): string => `${stream} ${group}`

/** Rates of each group that both looks saw, by `<stream> <group>`. Unknown where the server does not count reads. */
export function groupRates(
  before: readonly StreamFigures[],
  now: readonly StreamFigures[],
  seconds: number,
): Map<string, Rates> {
  const old = new Map<string, GroupFigures>()
  for (const { stream, groups } of before) for (const group of groups) old.set(keyOf(stream, group.name), group)
  const rates = new Map<string, Rates>()
  for (const { stream, groups } of now) {
    for (const group of groups) {
      const was = old.get(keyOf(stream, group.name))
      if (was?.entriesRead === undefined || group.entriesRead === undefined || seconds <= 0) continue
      const delivered = Math.max(group.entriesRead - was.entriesRead, 0)
      const acknowledged = Math.max(delivered - (group.pending - was.pending), 0)
      rates.set(keyOf(stream, group.name), {
        deliveredPerS: delivered / seconds,
        acknowledgedPerS: acknowledged / seconds,
      })
    }
  }
  return rates
}

const HEAD = ['STREAM', 'GROUP', 'CONSUMER', 'LENGTH', 'LAG', 'PENDING', 'OLDEST', 'IDLE', 'READ/S', 'ACK/S', 'BYTES']
/** From here on columns are numbers and stand to the right. */
const FIRST_NUMBER = 3

export function groupTable(streams: readonly StreamFigures[], rates: ReadonlyMap<string, Rates>): string {
  const rows: string[][] = [HEAD]
  for (const { stream, length, groups, capacity } of streams) {
    const bytes = capacity === undefined ? '' : `${sized(capacity.payloadBytes)}+${sized(capacity.deliveryBytes)}`
    if (groups.length === 0) rows.push([stream, '-', '', String(length), '', '', '', '', '', '', bytes])
    for (const group of groups) {
      const rate = rates.get(keyOf(stream, group.name))
      rows.push([
        stream,
        group.name,
        String(group.consumers.length),
        String(length),
        group.lag === undefined ? '?' : String(group.lag),
        String(group.pending),
        group.pending === 0 ? '-' : duration(group.oldestPendingAgeMs),
        '',
        rate === undefined ? '-' : rate.deliveredPerS.toFixed(0),
        rate === undefined ? '-' : rate.acknowledgedPerS.toFixed(0),
        bytes,
      ])
      for (const { name, pending, idleMs } of group.consumers) {
        rows.push(['', '', name, '', '', String(pending), '', duration(idleMs), '', '', ''])
      }
    }
  }
  return aligned(rows)
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map(row => row[column].length)))
  return rows
    .map(row => {
      const cells = row.map((cell, i) => (i < FIRST_NUMBER ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      return `${cells.join('  ').trimEnd()}\n`
    })
    .join('')
}

const DURATIONS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1000, 's'],
] as const

function duration(ms: number): string {
  for (const [unitMs, unit] of DURATIONS)
    if (ms >= unitMs) return `${(ms / unitMs).toFixed(ms < 10 * unitMs ? 1 : 0)}${unit}`
  return `${ms}ms`
}

function sized(bytes: number): string {
  const units = ['B', 'K', 'M', 'G', 'T']
  let at = 0
  while (bytes >= 1024 && at < units.length - 1) {
    bytes /= 1024
    at++
  }
  return `${at === 0 ? bytes : bytes.toFixed(1)}${units[at]}`
}
