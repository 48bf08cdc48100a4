// Order of group and consumer names: that of their bytes, which latin1 strings share. Of very many the order is kept,
// and what comes and goes is brought into it when somebody asks. Used by: groups, consumers.

interface Named {
  readonly name: string
}

/** Changes are noted up to this share of what is there; beyond it all is sorted anew. */
const CHANGES_MAX = 1 / 4

export function sortedByName<T extends Named>(items: ReadonlyMap<string, T>): T[] {
  // Without a function that compares, the engine sorts strings by itself, several times as fast.
  return [...items.keys()].sort().map(name => items.get(name)!)
}

export class NameOrder<T extends Named> {
  #sorted: readonly T[] | undefined
  #added: T[] = []
  readonly #removed = new Set<T>()

  /** All of `items`, ascending; it is never changed afterwards. */
  of(items: ReadonlyMap<string, T>): readonly T[] {
    const changes = this.#added.length + this.#removed.size
    if (this.#sorted === undefined || changes > items.size * CHANGES_MAX) this.#sorted = sortedByName(items)
    else if (changes > 0) this.#sorted = this.#merged(this.#sorted)
    this.#forgetChanges()
    return this.#sorted
  }

  added(item: T): void {
    if (this.#sorted === undefined) return
    this.#added.push(item)
    if (this.#added.length > this.#sorted.length) this.#forget()
  }

  removed(item: T): void {
    if (this.#sorted === undefined) return
    this.#removed.add(item)
    if (this.#removed.size > this.#sorted.length) this.#forget()
  }

  #forget(): void {
    this.#sorted = undefined
    this.#forgetChanges()
  }

  #forgetChanges(): void {
    this.#added = []
    this.#removed.clear()
  }

  #merged(sorted: readonly T[]): T[] {
    const added = this.#added.filter(item => !this.#removed.has(item)).sort((a, b) => (a.name < b.name ? -1 : 1))
    const merged: T[] = []
    let next = 0
    for (const item of sorted) {
      while (next < added.length && added[next].name < item.name) merged.push(added[next++])
      if (!this.#removed.has(item)) merged.push(item)
    }
    while (next < added.length) merged.push(added[next++])
    return merged
  }
}
