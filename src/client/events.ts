// Typed events of a layer. Used by: queue, worker. A listener that throws is the listener's defect: it is told to the
// 'error' listeners of the same object, never to the loop that emitted, which must go on.

export type Listener<Event> = (event: Event) => void

/**
 * `Map` names the events and what each carries. Unlike an EventEmitter an 'error' without a listener throws nothing.
 */
export class Events<Map extends { error: Error }> {
  readonly #listeners: { [Name in keyof Map]?: Set<Listener<Map[Name]>> } = {}

  /** @returns what removes the listener again */
  on<Name extends keyof Map>(name: Name, listener: Listener<Map[Name]>): () => void {
    const set = (this.#listeners[name] ??= new Set())
    set.add(listener)
    return () => void set.delete(listener)
  }

  protected emit<Name extends keyof Map>(name: Name, event: Map[Name]): void {
    for (const listener of this.#listeners[name] ?? []) {
      try {
        listener(event)
      } catch (error) {
        if (name !== 'error') this.emit('error', asError(error) as Map['error'])
      }
    }
  }
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}
