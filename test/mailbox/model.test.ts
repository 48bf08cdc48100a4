// Random days of a mailbox service against an obvious model: producers (with retries), a materializer that crashes at
// every step, takeovers, logs that begin anew, a split, expiries, truncations, and clients that read meanwhile. In the
// end every client has every message of its user, each once, or was told that it had to be rebuilt; no sequence was
// ever seen to step back. MODEL_OPS is the number of operations per backend; SEED repeats a run.

import t from 'tap'
import { CursorSigner } from '../../src/mailbox/cursor.js'
import { laneOf } from '../../src/mailbox/lane.js'
import { CursorExpired, CursorRebased } from '../../src/mailbox/mailbox-error.js'
import { MailboxReader } from '../../src/mailbox/mailbox-reader.js'
import { mailboxSeq } from '../../src/mailbox/mailbox-seq.js'
import type { MailboxSeq } from '../../src/mailbox/mailbox-seq.js'
import { Materializer } from '../../src/mailbox/materializer.js'
import { MemoryDispatchLog } from '../../src/mailbox/memory-dispatch-log.js'
import { lowestOf } from '../../src/mailbox/watermarks.js'
import { Seeded, seeded } from '../support/seeded.js'
import { allBackends } from './contract/harness.js'
import type { World } from './contract/harness.js'

const OPS = Number(process.env.MODEL_OPS ?? 250)
const USERS = Array.from({ length: 10 }, (_, i) => `user:${i}`)
const MOVING = new Set(USERS.filter((_, i) => i % 2 === 0).map(laneOf))
const OLD = 7
const NEW = 8
const DAY_MS = 86_400_000

class Crash extends Error {}

interface Sent {
  readonly shard: number
  readonly dispatchId: string
  readonly users: readonly string[]
  readonly committedAtMs: number
  /** Where it became whole. */
  wholeAt: MailboxSeq | undefined
}

interface Client {
  readonly user: string
  token: string
  readonly seen: Set<string>
}

class Service {
  readonly log = new MemoryDispatchLog()
  readonly sent: Sent[] = []
  readonly reader: MailboxReader
  readonly clients: Client[] = []
  readonly counts = { crashes: 0, takeovers: 0, rebases: 0, rebuilds: 0, repeats: 0, truncations: 0, logs: 0 }
  readonly #signer = new CursorSigner([Buffer.alloc(32, 3)])
  /** By shard: the records of its log, by offset. */
  readonly #logged = new Map<number, Sent[]>()
  readonly #owners = new Map<number, Materializer>()
  hasSplit = false
  mayCrash = true

  constructor(
    readonly w: World,
    readonly rng: Seeded,
  ) {
    this.reader = new MailboxReader(w.mailbox, this.#signer)
  }

  async begin(): Promise<void> {
    for (const user of USERS) this.clients.push({ user, token: await this.reader.begin(user, OLD), seen: new Set() })
  }

  shardOf(user: string): number {
    return this.hasSplit && MOVING.has(laneOf(user)) ? NEW : OLD
  }

  async produce(): Promise<void> {
    const count = this.rng.chance(0.6) ? 1 : this.rng.between(2, 5)
    const users = new Set(Array.from({ length: count }, () => this.rng.pick(USERS)))
    const committedAtMs = this.w.nowMs() + this.rng.between(-8, 2) * DAY_MS
    for (const shard of [OLD, NEW]) {
      const here = [...users].filter(user => this.shardOf(user) === shard)
      if (here.length === 0) continue
      const dispatchId = `d${this.sent.length}`
      const sent: Sent = { shard, dispatchId, users: here, committedAtMs, wholeAt: undefined }
      this.sent.push(sent)
      await this.#append(sent)
      // The producer did not hear the answer and sends again.
      if (this.rng.chance(0.15)) await this.#append(sent)
    }
  }

  async #append(sent: Sent): Promise<void> {
    const { shard, dispatchId, users, committedAtMs } = sent
    const payload = Buffer.from(dispatchId)
    const recipients = users.map(user => ({ user, events: [{ ordinal: 0, messageId: dispatchId, payload }] }))
    const offset = await this.log.append({ partition: shard }, { dispatchId, committedAtMs, recipients })
    const logged = this.#logged.get(shard) ?? []
    logged[offset] = sent
    this.#logged.set(shard, logged)
  }

  async takeOver(shard: number): Promise<Materializer> {
    await this.#note(shard)
    const owner = new Materializer(this.w.mailbox, this.log, {
      shard,
      owner: `owner ${++this.counts.takeovers}`,
      clock: { nowMs: () => this.w.nowMs(), nowUs: () => 0, monotonicUs: () => 0 },
      batch: 4,
      chunk: 1,
      collectEvery: 7,
      onStep: () => {
        if (this.mayCrash && this.rng.chance(0.08)) throw new Crash()
      },
    })
    await owner.open()
    this.#owners.set(shard, owner)
    return owner
  }

  async step(shard: number): Promise<number> {
    const owner = this.#owners.get(shard) ?? (await this.takeOver(shard))
    try {
      return await owner.step()
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      this.counts.crashes++
      await this.takeOver(shard)
      return 1
    } finally {
      await this.#note(shard)
    }
  }

  /** What has become whole since, and where; asked before the epoch changes. */
  async #note(shard: number): Promise<void> {
    const state = await this.w.mailbox.watermarks.read(shard).catch(() => undefined)
    const w = state && lowestOf(state.lanes)
    if (state === undefined || w === undefined) return
    for (const [offset, sent] of (this.#logged.get(shard) ?? []).entries()) {
      if (offset <= w && sent !== undefined) sent.wholeAt ??= mailboxSeq(state.epoch, offset)
    }
  }

  async drain(shard: number): Promise<void> {
    const { next } = await this.log.bounds(shard)
    while ((this.#owners.get(shard)?.position ?? -1) < next - 1) await this.step(shard)
  }

  /** E3 or E4: the log is gone, the producers append again what they do not know to be whole, and some of the rest. */
  async newLog(shard: number): Promise<void> {
    if (!this.#owners.has(shard)) return
    await this.#note(shard)
    const old = [...new Set(this.#logged.get(shard) ?? [])].filter(sent => sent !== undefined)
    this.log.recreate(shard)
    this.#logged.set(shard, [])
    await this.w.mailbox.registry.raise(shard, this.rng.pick(['E3', 'E4'] as const))
    this.counts.logs++
    await this.takeOver(shard)
    for (const sent of old) {
      // What was for users who have moved since was whole before they did.
      if (sent.users.some(user => this.shardOf(user) !== shard)) continue
      if (sent.wholeAt === undefined || this.rng.chance(0.2)) await this.#append(sent)
    }
  }

  async split(): Promise<void> {
    this.hasSplit = true
    await this.drain(OLD)
    const { next } = await this.log.bounds(OLD)
    const lanes = [...MOVING]
    await this.w.mailbox.registry.split({ oldShard: OLD, newShard: NEW, lanes, splitAtOffset: next })
    await this.takeOver(OLD)
    await this.takeOver(NEW)
  }

  async truncate(): Promise<void> {
    const user = this.rng.pick(USERS)
    const shard = this.shardOf(user)
    const state = await this.w.mailbox.watermarks.read(shard).catch(() => undefined)
    const w = state && lowestOf(state.lanes)
    if (state === undefined || w === undefined) return
    const before = mailboxSeq(state.epoch, this.rng.between(0, w))
    await this.w.mailbox.store.truncateBefore({ shard, user, epoch: state.epoch }, before)
    this.counts.truncations++
  }

  /** One pull; answers whether more may come. */
  async read(client: Client): Promise<boolean> {
    try {
      const { events, token, isCaughtUp } = await this.reader.pull(client.user, client.token, 3)
      for (const { messageId } of events) {
        if (client.seen.has(messageId)) this.counts.repeats++
        client.seen.add(messageId)
      }
      client.token = token
      return !isCaughtUp
    } catch (error) {
      if (error instanceof CursorRebased) {
        this.counts.rebases++
        client.token = error.newCursor
        return true
      }
      if (!(error instanceof CursorExpired)) throw error
      this.counts.rebuilds++
      const { shard } = this.#signer.verify(client.user, client.token)
      // The source of truth gives it all that lies in this shard up to there; what lies behind must come by itself.
      for (const sent of this.sent) {
        const isThere = sent.shard === shard && sent.wholeAt !== undefined && sent.wholeAt <= error.resumeAfter
        if (isThere && sent.users.includes(client.user)) client.seen.add(sent.dispatchId)
      }
      client.token = await this.reader.resume(client.user, shard, error.resumeAfter)
      return true
    }
  }
}

async function live(service: Service, w: World, rng: Seeded): Promise<void> {
  for (let op = 0; op < OPS; op++) {
    const die = rng.fraction()
    if (op === Math.floor(OPS / 2)) await service.split()
    if (die < 0.4) await service.produce()
    else if (die < 0.66) await service.step(service.hasSplit && rng.chance(0.5) ? NEW : OLD)
    else if (die < 0.9) await service.read(rng.pick(service.clients))
    else if (die < 0.93) await service.takeOver(service.hasSplit && rng.chance(0.5) ? NEW : OLD)
    else if (die < 0.95) await service.newLog(service.hasSplit && rng.chance(0.5) ? NEW : OLD)
    else if (die < 0.98) await service.truncate()
    else await w.advanceDays(1, rng.chance(0.5))
  }
}

for (const backend of await allBackends(t)) {
  t.test(backend.name, async t => {
    const { seed } = seeded()
    t.comment(`SEED=${seed}`)
    const rng = new Seeded(seed)
    const w = await backend.world()
    const service = new Service(w, rng)
    await service.begin()
    await live(service, w, rng)
    service.mayCrash = false
    for (const shard of [OLD, NEW]) await service.drain(shard)
    for (const client of service.clients) while (await service.read(client));
    for (const { user, seen } of service.clients) {
      const owed = service.sent.filter(({ users }) => users.includes(user)).map(({ dispatchId }) => dispatchId)
      t.same([...seen].sort(), owed.sort(), `${user} has all its messages`)
    }
    t.equal(service.counts.repeats, 0, 'no second copy')
    t.equal(service.reader.mailboxSeqRegressionCount, 0, 'no step back')
    t.comment(JSON.stringify({ sent: service.sent.length, ...service.counts }))
    t.ok(service.counts.crashes > 0 && service.counts.rebases > 0 && service.counts.rebuilds > 0, 'it was eventful')
  })
}
