// Counters and gauges of a layer as plain data, in Prometheus' model: a name, what it means, and a value for each set
// of labels. Used by: queue, worker. Whoever wants the text format renders it with metricsText.

export type Labels = Readonly<Record<string, string>>

export interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  readonly help: string
  readonly samples: readonly { readonly labels: Labels; readonly value: number }[]
}

interface Series {
  readonly type: Metric['type']
  readonly help: string
  readonly samples: Map<string, { labels: Labels; value: number }>
}

/** The names of a layer with their meaning; an unknown name does not compile. */
export class Metrics<Name extends string> {
  readonly #series = new Map<Name, Series>()
  readonly #base: Labels

  /** @param base labels that every sample carries */
  constructor(names: Readonly<Record<Name, { type: Metric['type']; help: string }>>, base: Labels = {}) {
    this.#base = base
    for (const [name, { type, help }] of Object.entries(names) as [Name, { type: Metric['type']; help: string }][]) {
      this.#series.set(name, { type, help, samples: new Map() })
    }
  }

  add(name: Name, by = 1, labels: Labels = {}): void {
    const sample = this.#sample(name, labels)
    sample.value += by
  }

  set(name: Name, value: number, labels: Labels = {}): void {
    this.#sample(name, labels).value = value
  }

  /** The sum over all labels. */
  total(name: Name): number {
    let sum = 0
    for (const { value } of this.#series.get(name)!.samples.values()) sum += value
    return sum
  }

  snapshot(): Metric[] {
    return [...this.#series].map(([name, { type, help, samples }]) => ({
      name,
      type,
      help,
      samples:
        samples.size === 0
          ? [{ labels: this.#base, value: 0 }]
          : [...samples.values()].map(({ labels, value }) => ({ labels, value })),
    }))
  }

  #sample(name: Name, labels: Labels): { labels: Labels; value: number } {
    const { samples } = this.#series.get(name)!
    const key = JSON.stringify(labels)
    let sample = samples.get(key)
    if (sample === undefined) samples.set(key, (sample = { labels: { ...this.#base, ...labels }, value: 0 }))
    return sample
  }
}

/** Prometheus' text exposition format, version 0.0.4. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(({ labels, value }) => `${name}${labelsText(labels)} ${value}\n`)
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, character => ESCAPES[character])}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
