// LATENCY GRAPH: a head line, then one column of four rows per sample and its age below it.

const ROWS = 4
const COLUMNS_MAX = 80

/** @param nowS Unix time in seconds, for the ages */
export function latencyGraph(
  event: string,
  samples: readonly (readonly [second: number, ms: number])[],
  allTimeMs: number,
  nowS: number,
): string {
  const shown = samples.slice(-COLUMNS_MAX)
  const high = Math.max(...shown.map(([, ms]) => ms))
  const low = Math.min(...shown.map(([, ms]) => ms))
  const head = `${event} - high ${high} ms, low ${low} ms (all time high ${allTimeMs} ms)`
  const columns = shown.map(([second, ms]) => bar(ms, low, high) + age(nowS - second))
  const height = Math.max(...columns.map(column => column.length))
  const lines = Array.from({ length: height }, (_, row) => columns.map(column => column[row] ?? ' ').join(''))
  return `${head}\n${'-'.repeat(COLUMNS_MAX)}\n${lines.join('\n')}\n`
}

/** A column from top to bottom: '#' for full rows, and for the topmost one how full it is. */
function bar(ms: number, low: number, high: number): string {
  const level = high === low ? 1 : 1 + Math.round(((ms - low) / (high - low)) * (ROWS * 2 - 1))
  const full = Math.floor(level / 2)
  const top = level % 2 === 0 ? '' : '_'
  return (top + '#'.repeat(full)).padStart(ROWS, ' ')
}

const UNITS: readonly (readonly [number, string])[] = [
  [86400, 'd'],
  [3600, 'h'],
  [60, 'm'],
  [1, 's'],
]

function age(seconds: number): string {
  for (const [size, unit] of UNITS) if (seconds >= size) return `${Math.floor(seconds / size)}${unit}`
  return '0s'
}
