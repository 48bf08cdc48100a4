// Random choices that clients see: members, fields, ranks. What a command chose is journaled, so replay draws nothing.
// From the system's source, in pieces: asking it for each number would cost more than most commands.

import { randomFillSync } from 'node:crypto'

const POOL_WORDS = 1024
const TWO_32 = 2 ** 32
const TWO_21 = 2 ** 21

const pool = new Uint32Array(POOL_WORDS)
let used = POOL_WORDS

function word(): number {
  if (used === POOL_WORDS) {
    randomFillSync(pool)
    used = 0
  }
  return pool[used++]
}

/** A whole number in [0, below), each with the same chance to within 2^-53 * below. */
export function randomBelow(below: number): number {
  return Math.floor(((word() * TWO_21 + (word() >>> 11)) / (TWO_32 * TWO_21)) * below)
}

/** `count` different whole numbers in [0, below), ascending; every choice has the same chance. */
export function randomRanks(count: number, below: number): number[] {
  // Of many the few that are left out are drawn.
  if (count * 2 > below) return complement(distinct(below - count, below), below)
  return [...distinct(count, below)].sort((a, b) => a - b)
}

function distinct(count: number, below: number): Set<number> {
  const chosen = new Set<number>()
  while (chosen.size < count) chosen.add(randomBelow(below))
  return chosen
}

function complement(left: ReadonlySet<number>, below: number): number[] {
  const ranks: number[] = []
  for (let i = 0; i < below; i++) if (!left.has(i)) ranks.push(i)
  return ranks
}
