// Distribution of a command's run times: two significant digits from one nanosecond to one second, in the bucket layout
// that LATENCY HISTOGRAM and latencystats of Redis rest on, so that their numbers compare.
//
// Values below 256 ns have a counter each; above, every power of two is divided into 128 equal steps.

export class LatencyHistogram {
  calls = 0
  #counts: Uint32Array | undefined

  /** Of what somebody else has counted in COUNTERS counters. */
  static of(counts: Uint32Array): LatencyHistogram {
    const histogram = new LatencyHistogram()
    histogram.#counts = counts
    for (let i = 0; i < counts.length; i++) histogram.calls += counts[i]
    return histogram
  }

  /** @param us run time in microseconds */
  record(us: number): void {
    this.#counts ??= new Uint32Array(COUNTERS)
    let ns = (us * 1000) | 0
    if (us > US_MAX) ns = NS_MAX
    else if (ns < 1) ns = 1
    this.#counts[counterOf(ns)]++
    this.calls++
  }

  /** Pairs of an upper bound in whole µs and how many calls took at most so long; only where the count rises. */
  buckets(): [number, number][] {
    const buckets: [number, number][] = []
    const counts = this.#counts
    if (counts === undefined) return buckets
    let from = 0
    let sum = 0
    for (let power = 10; sum < this.calls; power++) {
      const to = Math.min(counterOf(Math.min(2 ** power, NS_MAX)), COUNTERS - 1)
      let added = 0
      for (; from <= to; from++) added += counts[from]
      sum += added
      if (added > 0) buckets.push([Math.floor(highestOf(to) / 1000), sum])
    }
    return buckets
  }

  /** Run time in microseconds that `percent` percent of the calls did not exceed; undefined before the first call. */
  percentile(percent: number): number | undefined {
    const counts = this.#counts
    if (counts === undefined || this.calls === 0) return undefined
    const wanted = Math.max(1, Math.ceil((Math.min(percent, 100) / 100) * this.calls))
    let sum = 0
    for (let i = 0; i < COUNTERS; i++) {
      sum += counts[i]
      if (sum >= wanted) return highestOf(i) / 1000
    }
    return highestOf(COUNTERS - 1) / 1000
  }
}

const NS_MAX = 1_000_000_000
const US_MAX = 1_000_000
const STEPS = 128

function counterOf(ns: number): number {
  if (ns < 2 * STEPS) return ns
  const shift = 31 - Math.clz32(ns) - 7
  return (shift + 1) * STEPS + ((ns >> shift) - STEPS)
}

/** The largest value that falls into a counter. */
function highestOf(counter: number): number {
  if (counter < 2 * STEPS) return counter
  const shift = Math.floor(counter / STEPS) - 1
  return (((counter % STEPS) + STEPS + 1) << shift) - 1
}

/** Counters of a histogram; native/src/turn_meter.cc knows the layout as well. */
export const COUNTERS = counterOf(NS_MAX) + 1
