// Who subscribed to what, and the delivery of messages. Three separate worlds: channels, patterns over channels, and
// shard channels. Nothing of it is durable. Used by: executor, keyspace-events, commands (as commands/server's PubSub).
//
// Invariants: (1) a session stands under a name exactly when the name stands in the session's own set; (2) no name is
// kept without a subscriber; (3) a name's subscribers get a message in the order in which they subscribed.

import { globMatch } from '../base/glob.js'
import type { PubSub as PubSubCommands, SubscriptionKind } from '../commands/server.js'
import { ReplyWriter } from '../resp/reply-writer.js'
import type { ClientSession } from './session.js'

type Subscribers = Map<string, Set<ClientSession>>

const KINDS: readonly SubscriptionKind[] = ['channel', 'pattern', 'shard']
const PREFIX = { channel: '', pattern: 'p', shard: 's' } as const

export class PubSub implements PubSubCommands {
  readonly #names: Readonly<Record<SubscriptionKind, Subscribers>> = {
    channel: new Map(),
    pattern: new Map(),
    shard: new Map(),
  }
  readonly #encoder = new ReplyWriter()

  subscribe(session: ClientSession, kind: SubscriptionKind, name: string): void {
    const names = this.#names[kind]
    let subscribers = names.get(name)
    if (subscribers === undefined) {
      subscribers = new Set()
      names.set(name, subscribers)
    }
    subscribers.add(session)
    session.subscribed[kind].add(name)
    session.subscriber = true
    this.#confirm(session, kind, 'subscribe', name)
  }

  unsubscribe(session: ClientSession, kind: SubscriptionKind, name: string): void {
    this.#leave(session, kind, name)
    this.#confirm(session, kind, 'unsubscribe', name)
  }

  unsubscribeAll(session: ClientSession, kind: SubscriptionKind): void {
    const names = [...session.subscribed[kind]]
    for (const name of names) this.unsubscribe(session, kind, name)
    if (names.length === 0) this.#confirm(session, kind, 'unsubscribe', undefined)
  }

  /** The session goes or is reset: it is told nothing. */
  forget(session: ClientSession): void {
    if (!session.subscriber) return
    for (const kind of KINDS) for (const name of Array.from(session.subscribed[kind])) this.#leave(session, kind, name)
  }

  publish(channel: string, message: Buffer): number {
    let receivers = this.#deliver(this.#names.channel.get(channel), ['message', channel], message)
    for (const [pattern, subscribers] of this.#names.pattern) {
      if (!globMatch(pattern, channel)) continue
      receivers += this.#deliver(subscribers, ['pmessage', pattern, channel], message)
    }
    return receivers
  }

  publishToShard(channel: string, message: Buffer): number {
    return this.#deliver(this.#names.shard.get(channel), ['smessage', channel], message)
  }

  /** Whether a message could reach anybody at all. */
  get anybody(): boolean {
    return this.#names.channel.size > 0 || this.#names.pattern.size > 0
  }

  names(kind: SubscriptionKind): Iterable<string> {
    return this.#names[kind].keys()
  }

  count(kind: SubscriptionKind): number {
    return this.#names[kind].size
  }

  subscriberCount(kind: SubscriptionKind, name: string): number {
    return this.#names[kind].get(name)?.size ?? 0
  }

  #leave(session: ClientSession, kind: SubscriptionKind, name: string): void {
    const { subscribed } = session
    if (!subscribed[kind].delete(name)) return
    const subscribers = this.#names[kind].get(name)!
    subscribers.delete(session)
    if (subscribers.size === 0) this.#names[kind].delete(name)
    session.subscriber = subscribed.channel.size + subscribed.pattern.size + subscribed.shard.size > 0
  }

  /** @param name undefined when all were to be left and there was none */
  #confirm(session: ClientSession, kind: SubscriptionKind, what: string, name: string | undefined): void {
    // Not a reply: CLIENT REPLY OFF does not silence it.
    const writer = session.replyMode === 'on' ? session.reply : this.#encoder
    const { channel, pattern, shard } = session.subscribed
    const count = kind === 'shard' ? shard.size : channel.size + pattern.size
    this.#encoder.protocol = session.protocol
    writer.push(3)
    writer.latin1(PREFIX[kind] + what)
    if (name === undefined) writer.nullBulk()
    else writer.latin1(name)
    writer.integer(count)
    if (writer === this.#encoder) session.push(writer.take())
  }

  #deliver(subscribers: Set<ClientSession> | undefined, words: readonly string[], message: Buffer): number {
    if (subscribers === undefined) return 0
    let resp2: readonly Buffer[] | undefined
    let resp3: readonly Buffer[] | undefined
    let receivers = 0
    for (const session of subscribers) {
      if (session.closing) continue
      receivers++
      if (session.protocol === 2) session.push((resp2 ??= this.#encode(2, words, message)))
      else session.push((resp3 ??= this.#encode(3, words, message)))
    }
    return receivers
  }

  /** Once for all subscribers of a protocol; long messages are then shared by reference. */
  #encode(protocol: 2 | 3, words: readonly string[], message: Buffer): readonly Buffer[] {
    const writer = this.#encoder
    writer.protocol = protocol
    writer.push(words.length + 1)
    for (const word of words) writer.latin1(word)
    writer.bulk(message)
    return writer.take()
  }
}
