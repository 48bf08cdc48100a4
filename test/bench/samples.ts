// Results made of nothing but CPU times per operation: the throughput is what one core would do.

import type { Row } from '../../bench/load.js'
import type { Sample } from '../../bench/sample.js'
import type { Result } from '../../bench/sampling.js'

const OPERATIONS = 1000

function sample(cpuUs: number): Sample {
  const seconds = (OPERATIONS * (cpuUs === 0 ? 1 : cpuUs)) / 1e6
  return {
    operations: OPERATIONS,
    seconds,
    cpuSeconds: (OPERATIONS * cpuUs) / 1e6,
    latency: { p50: 1, p95: 2, p99: 3, max: 4 },
    rssAnonBytes: 5_000_000,
    diskBytes: 6_000_000,
  }
}

export function result(
  name: string,
  cpuUs: { readonly peer: readonly number[]; readonly millrace: readonly number[] },
  curve?: Row['curve'],
): Result {
  const row: Row = {
    name,
    what: `what ${name} does`,
    unit: 'call',
    fsync: 'everysec',
    operations: OPERATIONS,
    curve,
    warmUp: async () => undefined,
    measure: async () => sample(1),
  }
  return { row, operations: OPERATIONS, peer: cpuUs.peer.map(sample), millrace: cpuUs.millrace.map(sample) }
}
