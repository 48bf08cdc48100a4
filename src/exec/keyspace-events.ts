// Keyspace notifications: turns events of commands into messages on `__keyspace@<db>__:<key>` (the event) and
// `__keyevent@<db>__:<event>` (the key), as notify-keyspace-events says. Used by: executor. Uses: pubsub.

import type { PubSub } from './pubsub.js'

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
