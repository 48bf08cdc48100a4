// Longest common subsequence of two byte strings, with the ranges it matches in. Pure. Used by: commands/lcs.

/** Positions are inclusive at both ends. */
export interface CommonRange {
  readonly aFrom: number
  readonly aTo: number
  readonly bFrom: number
  readonly bTo: number
}

/** Memory that commonSubsequence() needs, in bytes. */
export function commonSubsequenceBytes(aLength: number, bLength: number): number {
  return (aLength + 1) * (bLength + 1) * 4
}

/**
 * The subsequence and its runs of neighbouring matches, last first. Of several longest ones it is the one that Redis
 * finds: walking back from the ends, it leaves a byte of `a` only when that is strictly better.
 */
export function commonSubsequence(a: Uint8Array, b: Uint8Array): { bytes: Buffer; ranges: CommonRange[] } {
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  for (let i = 1; i <= a.length; i++) {
    const row = i * width
    const above = row - width
    for (let j = 1; j <= b.length; j++) {
      if (a[i - 1] === b[j - 1]) lengths[row + j] = lengths[above + j - 1] + 1
      else lengths[row + j] = Math.max(lengths[above + j], lengths[row + j - 1])
    }
  }
  const bytes = Buffer.alloc(lengths[a.length * width + b.length])
  const ranges: CommonRange[] = []
  let at = bytes.length
  let run = 0
  let i = a.length
  let j = b.length
  const endRun = (): void => {
    if (run > 0) ranges.push({ aFrom: i, aTo: i + run - 1, bFrom: j, bTo: j + run - 1 })
    run = 0
  }
  while (i > 0 && j > 0) {
    if (a[i - 1] === b[j - 1]) {
      bytes[--at] = a[i - 1]
      run++
      i--
      j--
      continue
    }
    endRun()
    if (lengths[(i - 1) * width + j] > lengths[i * width + j - 1]) i--
    else j--
  }
  endRun()
  return { bytes, ranges }
}
