// Keyspace notifications: turns events of commands into messages on `__keyspace@<db>__:<key>` (the event) and
// `__keyevent@<db>__:<event>` (the key), as notify-keyspace-events says. Used by: executor. Uses: pubsub.

import type { Database, KeyspaceHooks } from '../types/keyspace.js'
import type { PubSub } from './pubsub.js'
import type { Removals } from './removals.js'

export type Notifier = (kind: string, event: string, key: string, database: number) => void

/** @param letters the value of notify-keyspace-events, 'A' written out; undefined when nothing is to be published */
export function keyspaceNotifier(letters: string, pubsub: PubSub): Notifier | undefined {
  const byKey = letters.includes('K')
  const byEvent = letters.includes('E')
  if (!byKey && !byEvent) return undefined
  return (kind, event, key, database) => {
    if (!pubsub.anybody || !letters.includes(kind)) return
    if (byKey) pubsub.publish(`__keyspace@${database}__:${key}`, Buffer.from(event, 'latin1'))
    if (byEvent) pubsub.publish(`__keyevent@${database}__:${event}`, Buffer.from(key, 'latin1'))
  }
}

/** What a keyspace tells of itself; it is asked for what costs its hot paths something only when that is wanted. */
export function keyspaceHooks(
  letters: string,
  removals: Removals,
  notify: (kind: string, event: string, key: string, db: Database) => void,
): KeyspaceHooks {
  return {
    onExpired: (db, key) => removals.expired(db, key),
    onFieldsExpired: (db, key, fields, emptied) => removals.fieldsExpired(db, key, fields, emptied),
    ...(letters.includes('n') && { onCreated: (db: Database, key: string) => notify('n', 'new', key, db) }),
    ...(letters.includes('m') && { onMissed: (db: Database, key: string) => notify('m', 'keymiss', key, db) }),
  }
}
