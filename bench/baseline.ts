// The regression guard: the ratios of a quick run, kept in the repository, and what has become worse since. Compared
// are CPU ratios: on a shared machine throughput says as much about the neighbours. Used by: run.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compare } from './figures.js'
import type { Result } from './sampling.js'

/** One row of bench/baseline.json. */
export interface Kept {
  readonly cpuRatio: number
  /** How far its rounds lay apart, as a share of the ratio. */
  readonly spread: number
  readonly throughputRatio: number
}

export type Baseline = Readonly<Record<string, Kept>>

export interface Worsened {
  readonly row: string
  readonly was: number
  readonly is: number
  /** What the rounds of both runs explain. */
  readonly allowed: number
}

/** Two runs of the same build differ by so much even when their rounds agree. */
const NOISE_MIN = 0.15
const FILE = fileURLToPath(new URL('baseline.json', import.meta.url))

export function keep(results: readonly Result[]): Baseline {
  const baseline: Record<string, Kept> = {}
  const rounded = (n: number) => Number(n.toFixed(3))
  for (const result of results) {
    const { cpuRatio, cpuRatioSpread, throughputRatio } = compare(result)
    if (cpuRatio === undefined) continue
    const kept = { cpuRatio, spread: cpuRatioSpread, throughputRatio }
    baseline[result.row.name] = {
      cpuRatio: rounded(kept.cpuRatio),
      spread: rounded(kept.spread),
      throughputRatio: rounded(kept.throughputRatio),
    }
  }
  return baseline
}

/** Rows of `now` that cost more than `then` by more than the noise of both. */
export function worsened(then: Baseline, now: Baseline): Worsened[] {
  const found: Worsened[] = []
  for (const [row, kept] of Object.entries(now)) {
    const before = then[row]
    if (before === undefined) continue
    const noise = Math.max(NOISE_MIN, (before.spread + kept.spread) / 2)
    const allowed = before.cpuRatio * (1 + noise)
    if (kept.cpuRatio > allowed) found.push({ row, was: before.cpuRatio, is: kept.cpuRatio, allowed })
  }
  return found
}

export function readBaseline(): Baseline {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Baseline
}

/** Rows that were not measured this time keep what they had. */
export function writeBaseline(baseline: Baseline): void {
  let before: Baseline = {}
  try {
    before = readBaseline()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  writeFileSync(FILE, `${JSON.stringify({ ...before, ...baseline }, null, 2)}\n`)
}
