// Order of group and consumer names: that of their bytes, which latin1 strings share.

export function sortedByName<T extends { readonly name: string }>(items: Iterable<T>): T[] {
  return [...items].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}
