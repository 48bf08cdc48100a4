// Invariants of our own. A broken one is our defect: it is logged and the process stops (see main.ts).

export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

export function assert(condition: unknown, message = 'invariant broken'): asserts condition {
  if (!condition) throw new InvariantError(message)
}
