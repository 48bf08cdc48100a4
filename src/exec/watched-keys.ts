// WATCH: which clients watch which keys, in all databases. A change marks every watcher of the key once; EXEC of a
// marked client runs nothing. Databases are known by index: SWAPDB changes what an index holds, not who watches it.

/** What WATCH keeps at a client. */
export interface Watcher {
  /** A watched key changed since WATCH. */
  watchBroken: boolean
  readonly watchedKeys: WatchedKey[]
}

export interface WatchedKey {
  readonly database: number
  readonly key: string
  /** Whether the key existed when it was watched; as long as nothing changed it, it still does. */
  readonly existed: boolean
}

export class WatchedKeys {
  readonly #byDatabase = new Map<number, Map<string, Set<Watcher>>>()
  /** Number of watched keys, each counted once. */
  size = 0

  watch(watcher: Watcher, database: number, key: string, existed: boolean): void {
    let keys = this.#byDatabase.get(database)
    if (keys === undefined) {
      keys = new Map()
      this.#byDatabase.set(database, keys)
    }
    let watchers = keys.get(key)
    if (watchers === undefined) {
      watchers = new Set()
      keys.set(key, watchers)
      this.size++
    }
    if (watchers.has(watcher)) return
    watchers.add(watcher)
    watcher.watchedKeys.push({ database, key, existed })
  }

  /** Forgets everything `watcher` watches, and that any of it changed. */
  unwatch(watcher: Watcher): void {
    watcher.watchBroken = false
    for (const { database, key } of watcher.watchedKeys) {
      const keys = this.#byDatabase.get(database)
      const watchers = keys?.get(key)
      if (keys === undefined || watchers === undefined || !watchers.delete(watcher) || watchers.size > 0) continue
      keys.delete(key)
      this.size--
    }
    watcher.watchedKeys.length = 0
  }

  touch(database: number, key: string): void {
    const watchers = this.#byDatabase.get(database)?.get(key)
    if (watchers === undefined) return
    for (const watcher of watchers) watcher.watchBroken = true
  }

  /**
   * The key's time has come and it was removed. Who watched it when it was absent already, or overdue, sees no change.
   */
  expire(database: number, key: string): void {
    const watchers = this.#byDatabase.get(database)?.get(key)
    if (watchers === undefined) return
    for (const watcher of watchers) if (existedFor(watcher, database, key)) watcher.watchBroken = true
  }

  /**
   * The whole database changed hands or went: marks the watchers of keys that existed before or do so now. A key that
   * was absent and still is did not change.
   */
  touchAll(database: number, exists: (key: string) => boolean): void {
    const keys = this.#byDatabase.get(database)
    if (keys === undefined) return
    for (const [key, watchers] of keys) {
      const present = exists(key)
      for (const watcher of watchers) {
        if (present || existedFor(watcher, database, key)) watcher.watchBroken = true
      }
    }
  }
}

function existedFor(watcher: Watcher, database: number, key: string): boolean {
  return watcher.watchedKeys.some(item => item.existed && item.database === database && item.key === key)
}
