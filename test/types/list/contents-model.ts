// A plain array checks a form of a list through seeded random changes. Used by: packed-list.test, list-tree.test.

import type { Test } from 'tap'
import type { ListContents } from '../../../src/types/list/list-contents.js'
import type { Seeded } from '../../support/seeded.js'

/** Elements [from, to) as visit() shows them. */
export function visited(contents: ListContents, from: number, to: number, backwards = false): string[] {
  const pieces: string[][] = []
  contents.visit(from, to, backwards, (page, first, end) => {
    const piece: string[] = []
    for (let i = first; i < end; i++) piece.push(page.at(i).toString('latin1'))
    pieces.push(piece)
    return false
  })
  return (backwards ? pieces.reverse() : pieces).flat()
}

/** Changes `contents` and a model `steps` times; pushes and pops at the ends prevail, as in real lists. */
export function changeAtRandom(contents: ListContents, model: string[], rng: Seeded, steps: number, mayGrow: boolean) {
  for (let step = 0; step < steps; step++) {
    const value = `${step}`.padEnd(rng.below(80), '.')
    const choice = rng.below(mayGrow ? 8 : 12)
    if (model.length === 0 || choice < 5) {
      const at = choice < 2 ? 0 : choice < 4 ? model.length : rng.between(0, model.length)
      contents.insert(at, Buffer.from(value))
      model.splice(at, 0, value)
    } else if (choice === 5) {
      const at = rng.below(model.length)
      contents.replace(at, Buffer.from(value))
      model[at] = value
    } else {
      const length = rng.chance(0.8) ? 1 : rng.between(1, model.length)
      const from = rng.chance(0.3) ? 0 : rng.chance(0.5) ? model.length - length : rng.between(0, model.length - length)
      contents.removeRange(from, from + length)
      model.splice(from, length)
    }
  }
}

export function sameAs(t: Test, contents: ListContents, model: readonly string[], rng: Seeded): void {
  t.equal(contents.count, model.length)
  t.same(visited(contents, 0, model.length), model)
  if (model.length === 0) return
  for (let probe = 0; probe < 5; probe++) {
    const from = rng.below(model.length)
    const to = rng.between(from, model.length)
    t.equal(contents.at(from).toString('latin1'), model[from])
    t.same(visited(contents, from, to, true), model.slice(from, to))
  }
}
