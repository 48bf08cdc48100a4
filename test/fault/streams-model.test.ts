// Random commands on one stream, its groups, pending entries and producers: every reply is the model's, and after each
// kill -9 all that can be seen still is. AUDIT_STEPS commands between two kills (250), AUDIT_KILLS kills (3).

import t, { type Test } from 'tap'
import RedisParser from 'redis-parser'
import { RespClient } from '../support/resp-client.js'
import { seeded } from '../support/seeded.js'
import type { Seeded } from '../support/seeded.js'
import { startServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'
import type { Group } from './streams-model.js'
import { LONG_MS, StreamsModel } from './streams-model.js'

const STEPS = Number(process.env.AUDIT_STEPS ?? 250)
const KILLS = Number(process.env.AUDIT_KILLS ?? 3)
const GROUPS = ['g', 'h']
const CROWD_NAME = 'crowd'
const CONSUMERS = ['ann', 'bob', 'b\0\r\n']
const POLICIES = ['KEEPREF', 'DELREF', 'ACKED']

/** A reply as plain values; numbers beyond 2^53 stay whole, as text. */
function valueOf(reply: Buffer): unknown {
  let value: unknown
  const parser = new RedisParser({
    stringNumbers: true,
    returnReply: parsed => (value = parsed),
    returnError: error => (value = `-${error.message}`),
  })
  parser.execute(reply)
  return value
}

type Ask = (...args: (string | number)[]) => Promise<unknown>

/** What the model says as the parser gives it: numbers as text. */
function flat(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(flat)
  return typeof value === 'number' ? String(value) : value
}

/** An idle time in the words of the model. */
function idleWord(value: unknown): unknown {
  const ms = Number(value)
  return ms < 0 ? '-1' : ms >= LONG_MS ? 'long ago' : 'now'
}

class Audit {
  readonly model = new StreamsModel()
  /** A time of the past for XCLAIM, each its own. */
  #pastMs = 1_500_000_000_000

  constructor(
    readonly random: Seeded,
    readonly check: (actual: unknown, expected: unknown, what: string) => void,
  ) {}

  /** One random command. */
  async step(ask: Ask): Promise<void> {
    const { random } = this
    const roll = random.below(100)
    if (roll < 22) return this.#add(ask)
    if (roll < 28) return this.#delete(ask)
    if (roll < 32) return this.#trim(ask)
    if (roll < 38) return this.#shapeGroups(ask)
    const name = random.pick(GROUPS)
    const group = this.model.groups.get(name)
    if (group === undefined) return this.#create(ask, name)
    if (roll < 58) return this.#read(ask, name, group)
    if (roll < 64) return this.#acknowledge(ask, name, group)
    if (roll < 76) return this.#claim(ask, name, group)
    if (roll < 84) return this.#nack(ask, name, group)
    if (roll < 88) return this.#consumer(ask, name, group)
    return this.#look(ask, name, group)
  }

  /** Everything that can be seen. */
  async see(ask: Ask, when: string): Promise<void> {
    const { model } = this
    this.check(
      await ask('XRANGE', 's', '-', '+'),
      model.live.map(n => model.entry(n)),
      `${when}: entries`,
    )
    for (const [name, group] of model.groups) {
      const rows = (await ask('XPENDING', 's', name, '-', '+', 100_000)) as unknown[][]
      const shown = rows.map(([id, owner, idle, count]) => [id, owner, idleWord(idle), count])
      this.check(
        shown,
        model.rows(group).map(row => model.shownRow(row)),
        `${when}: pending of ${name}`,
      )
      this.check(await ask('XPENDING', 's', name), model.summary(group), `${when}: summary of ${name}`)
    }
    await this.#figures(ask, when)
  }

  async #figures(ask: Ask, when: string): Promise<void> {
    const { model } = this
    const of = (list: unknown[], name: string) => list[list.indexOf(name) + 1]
    const isShown = (one: unknown[]): boolean => !String(of(one, 'name')).startsWith(CROWD_NAME)
    const groups = ((await ask('XINFO', 'GROUPS', 's')) as unknown[][]).filter(isShown)
    const seen = groups.map(one =>
      ['name', 'lag', 'pending', 'consumers', 'last-delivered-id'].map(name => of(one, name)),
    )
    const expected = [...model.groups]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, group]) => {
        return [name, model.lag(group), group.pending.size, group.consumers.size, model.ids[group.last]]
      })
    this.check(seen, expected, `${when}: groups`)
    const stream = (await ask('XINFO', 'STREAM', 's')) as unknown[]
    const names = ['idmp-maxsize', 'pids-tracked', 'iids-tracked', 'iids-added', 'iids-duplicates', 'length']
    const windows = [...model.producers.values()]
    const tracked = windows.reduce((sum, window) => sum + window.length, 0)
    const figures = [model.sizeMax, windows.length, tracked, model.added, model.duplicates, model.live.length]
    // A stream without idempotence says nothing of it.
    const from = stream.includes(names[0]) ? 0 : names.length - 1
    if (from > 0) this.check(model.added, 0, `${when}: nothing was added with an ID`)
    this.check(
      names.slice(from).map(name => of(stream, name)),
      figures.slice(from),
      `${when}: figures`,
    )
    const full = (await ask('XINFO', 'STREAM', 's', 'FULL')) as unknown[]
    const nacked = (of(full, 'groups') as unknown[][]).filter(isShown).map(one => of(one, 'nacked-count'))
    const released = [...model.groups]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, group]) => {
        return [...group.pending.values()].filter(row => row.owner === undefined).length
      })
    this.check(nacked, released, `${when}: released`)
  }

  async #add(ask: Ask): Promise<void> {
    const { random, model } = this
    const fields = random.chance(0.3) ? ['a', String(random.below(3)), 'b', 'x'] : ['n', String(random.below(1000))]
    const trim = random.chance(0.15) ? { length: random.below(40), policy: random.pick(POLICIES) } : undefined
    const trimWords = trim === undefined ? [] : [trim.policy, 'MAXLEN', '=', trim.length]
    const producer = random.pick(['p', 'q'])
    const roll = random.fraction()
    const iid = String(random.below(12))
    const key =
      roll < 0.3
        ? `id ${iid}`
        : roll < 0.45
          ? `auto ${JSON.stringify([fields.slice(0, 2), fields.slice(2)].sort())}`
          : ''
    const words = roll < 0.3 ? ['IDMP', producer, iid] : roll < 0.45 ? ['IDMPAUTO', producer] : []
    const id = String(await ask('XADD', 's', ...words, ...trimWords, '*', ...fields))
    const known = key === '' ? undefined : model.known(producer, key)
    if (known !== undefined) {
      model.duplicates++
      return this.check(id, model.ids[known], `a repeat of ${key} by ${producer}`)
    }
    this.check(/^\d+-\d+$/.test(id) && !model.ids.includes(id), true, `XADD gives a new ID: ${id}`)
    const n = model.add(id, fields)
    if (key !== '') model.remember(producer, key, n)
    if (trim !== undefined) model.trim(trim.policy, { length: trim.length })
  }

  /** Some entries, deleted ones among them, the young ones more often. */
  #some(max: number): number[] {
    const { random, model } = this
    const last = model.ids.length - 1
    const count = random.between(1, max)
    return Array.from({ length: count }, () => (last === 0 ? 0 : Math.max(1, last - random.below(Math.min(last, 60)))))
  }

  #idsOf(entries: number[]): string[] {
    return entries.map(n => this.model.ids[n])
  }

  async #delete(ask: Ask): Promise<void> {
    const { random, model } = this
    const entries = this.#some(3)
    const ids = this.#idsOf(entries)
    const policy = random.pick(POLICIES)
    const exists = model.ids.length > 1
    if (random.chance(0.2)) {
      const deleted = entries.filter(n => model.delete(n)).length
      return this.check(await ask('XDEL', 's', ...ids), deleted, 'XDEL')
    }
    if (random.chance(0.4)) {
      const reply = await ask('XDELEX', 's', policy, 'IDS', ids.length, ...ids)
      return this.check(
        reply,
        entries.map(n => (exists ? model.deleteAs(policy, n) : -1)),
        `XDELEX ${policy} ${ids.join(' ')}`,
      )
    }
    const name = random.pick(GROUPS)
    const reply = await ask('XACKDEL', 's', name, 'IDS', ids.length, ...ids, policy)
    const expected = entries.map(n => model.ackDeleteAs(policy, model.groups.get(name), n))
    this.check(reply, expected, `XACKDEL ${name} ${policy} ${ids.join(' ')}`)
  }

  async #trim(ask: Ask): Promise<void> {
    const { random, model } = this
    const policy = random.pick(POLICIES)
    if (random.chance(0.5)) {
      const length = random.below(60)
      return this.check(
        await ask('XTRIM', 's', 'MAXLEN', length, policy),
        model.trim(policy, { length }),
        `XTRIM ${policy}`,
      )
    }
    const [n] = this.#some(1)
    const reply = await ask('XTRIM', 's', policy, 'MINID', model.ids[n])
    this.check(reply, model.trim(policy, { id: n }), `XTRIM ${policy} MINID`)
  }

  async #create(ask: Ask, name: string): Promise<void> {
    const last = this.random.chance(0.7) ? 0 : this.#some(1)[0]
    this.check(await ask('XGROUP', 'CREATE', 's', name, this.model.ids[last], 'MKSTREAM'), 'OK', 'XGROUP CREATE')
    this.model.groups.set(name, { last, pending: new Map(), consumers: new Set() })
  }

  async #shapeGroups(ask: Ask): Promise<void> {
    const { random, model } = this
    const name = random.pick(GROUPS)
    const group = model.groups.get(name)
    if (random.chance(0.4)) {
      const sizeMax = random.pick([2, 5, 100])
      if (model.ids.length === 1) return
      this.check(await ask('XCFGSET', 's', 'IDMP-MAXSIZE', sizeMax), 'OK', 'XCFGSET')
      return model.configure(sizeMax)
    }
    if (group === undefined) return this.#create(ask, name)
    if (random.chance(0.15)) {
      this.check(await ask('XGROUP', 'DESTROY', 's', name), 1, 'XGROUP DESTROY')
      model.groups.delete(name)
      return
    }
    const [n] = this.#some(1)
    this.check(await ask('XGROUP', 'SETID', 's', name, model.ids[n]), 'OK', 'XGROUP SETID')
    group.last = n
  }

  async #read(ask: Ask, name: string, group: Group): Promise<void> {
    const { random, model } = this
    const consumer = random.pick(CONSUMERS)
    const count = random.pick([1, 2, 5, 20])
    const head = ['XREADGROUP', 'GROUP', name, consumer, random.pick(['COUNT', 'MAXCOUNT']), count]
    if (random.chance(0.25)) {
      const reply = await ask(...head, 'STREAMS', 's', '0')
      return this.check(reply, [['s', model.history(group, consumer, count)]], `history of ${name}`)
    }
    const [claim, noAck] = [random.chance(0.4), random.chance(0.1)]
    // MAXCOUNT alone leaves the stream its COUNT of all.
    const words = [...(claim ? ['CLAIM', LONG_MS] : []), ...(noAck ? ['NOACK'] : [])]
    if (claim) head[4] = 'COUNT'
    const reply = (await ask(...head, ...words, 'STREAMS', 's', '>')) as [[string, unknown[][]]] | null
    const shown = reply?.[0][1].map(([id, fields, idle, deliveries]) => {
      return claim ? [id, fields, idleWord(idle), deliveries] : [id, fields]
    })
    this.check(shown, model.read(group, consumer, { count, noAck, claim }), `read of ${name} ${words.join(' ')}`)
  }

  async #acknowledge(ask: Ask, name: string, group: Group): Promise<void> {
    const entries = this.#some(8)
    const acknowledged = entries.filter(n => group.pending.delete(n)).length
    this.check(await ask('XACK', 's', name, ...this.#idsOf(entries)), acknowledged, 'XACK')
  }

  async #claim(ask: Ask, name: string, group: Group): Promise<void> {
    const { random, model } = this
    const consumer = random.pick(CONSUMERS)
    if (random.chance(0.35)) {
      const [count, [start]] = [random.pick([1, 3, 10]), random.chance(0.5) ? [0] : this.#some(1)]
      const reply = await ask('XAUTOCLAIM', 's', name, consumer, LONG_MS, model.ids[start], 'COUNT', count)
      return this.check(reply, model.autoClaim(group, consumer, start, count), `XAUTOCLAIM ${name} ${count}`)
    }
    const entries = this.#some(4)
    const at = random.chance(0.7) ? ++this.#pastMs : undefined
    const [force, justId, idle] = [random.chance(0.2), random.chance(0.4), random.chance(0.4)]
    const deliveries = random.chance(0.2) ? BigInt(random.below(9)) : undefined
    const words = [
      ...(at === undefined ? [] : ['TIME', at]),
      ...(force ? ['FORCE'] : []),
      ...(justId ? ['JUSTID'] : []),
      ...(deliveries === undefined ? [] : ['RETRYCOUNT', String(deliveries)]),
    ]
    const reply = await ask('XCLAIM', 's', name, consumer, idle ? LONG_MS : 0, ...this.#idsOf(entries), ...words)
    const expected = model.claim(group, consumer, entries, { at, force, justId, idle, deliveries })
    this.check(reply, expected, `XCLAIM ${name} ${words.join(' ')}`)
  }

  async #nack(ask: Ask, name: string, group: Group): Promise<void> {
    const { random, model } = this
    const entries = this.#some(4)
    const mode = random.pick(['SILENT', 'FAIL', 'FATAL'])
    const force = random.chance(0.3)
    const deliveries = random.chance(0.2) ? BigInt(random.below(9)) : undefined
    const words = [...(deliveries === undefined ? [] : ['RETRYCOUNT', String(deliveries)]), ...(force ? ['FORCE'] : [])]
    const reply = await ask('XNACK', 's', name, mode, 'IDS', entries.length, ...this.#idsOf(entries), ...words)
    this.check(
      reply,
      model.nack(group, mode, entries, { force, deliveries }),
      `XNACK ${name} ${mode} ${words.join(' ')}`,
    )
  }

  async #consumer(ask: Ask, name: string, group: Group): Promise<void> {
    const consumer = this.random.pick(CONSUMERS)
    if (this.random.chance(0.5)) {
      const created = group.consumers.has(consumer) ? 0 : 1
      group.consumers.add(consumer)
      return this.check(await ask('XGROUP', 'CREATECONSUMER', 's', name, consumer), created, 'XGROUP CREATECONSUMER')
    }
    const deleted = this.model.deleteConsumer(group, consumer)
    this.check(await ask('XGROUP', 'DELCONSUMER', 's', name, consumer), deleted, 'XGROUP DELCONSUMER')
  }

  async #look(ask: Ask, name: string, group: Group): Promise<void> {
    const { random, model } = this
    const count = random.pick([1, 5, 100])
    const consumer = random.chance(0.5) ? random.pick(CONSUMERS) : undefined
    const idle = random.chance(0.5)
    const words = [...(idle ? ['IDLE', LONG_MS] : []), '-', '+', count, ...(consumer === undefined ? [] : [consumer])]
    const rows = (await ask('XPENDING', 's', name, ...words)) as unknown[][]
    const shown = rows.map(([id, owner, ms, deliveries]) => [id, owner, idleWord(ms), deliveries])
    const wanted = model.rows(group).filter(([, row]) => {
      return (!idle || model.isLongAgo(row)) && (consumer === undefined || row.owner === consumer)
    })
    this.check(
      shown,
      wanted.slice(0, count).map(row => model.shownRow(row)),
      `XPENDING ${name} ${words.join(' ')}`,
    )
  }
}

/** Groups that read everything and have nothing pending: of so many DELREF is only noted, and ACKED looks in parts. */
const CROWD = 300

async function runAudit(t: Test, crowd: number, kills: number): Promise<void> {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const dir = tempDir(t)
  const audit = new Audit(random, (actual, expected, what) => {
    const [a, b] = [JSON.stringify(flat(actual)), JSON.stringify(flat(expected))]
    if (a !== b) t.fail(`SEED=${random.seed} ${what}\nserver: ${a}\nmodel:  ${b}`)
    else checks++
  })
  let checks = 0
  for (let round = 0; round <= kills; round++) {
    const server = await startServer({
      dir,
      args: ['--checkpoint-dirty-bytes', '1mb', '--stream-node-max-entries', '7'],
    })
    const client = await RespClient.connect(server.port)
    const ask: Ask = async (...args) => valueOf(await client.command(...args))
    for (let i = 0; i < crowd && round === 0; i++) {
      await ask('XGROUP', 'CREATE', 's', `${CROWD_NAME}${i}`, '18446744073709551615-0', 'MKSTREAM')
    }
    if (round > 0) await audit.see(ask, `after kill ${round}`)
    for (let step = 0; step < STEPS && t.passing(); step++) {
      await audit.step(ask)
      if (step === STEPS >> 1 && random.chance(0.5)) await ask('SAVE')
    }
    await audit.see(ask, 'at the end')
    if (!t.passing()) round = kills
    await server.kill9()
    client.close()
  }
  t.comment(`${checks} replies`)
  t.pass()
}

t.test('every reply is the model’s, and kill -9 changes nothing', { timeout: 300_000 }, t => runAudit(t, 0, KILLS))

t.test('nor does it among very many groups', { timeout: 300_000 }, t => runAudit(t, CROWD, Math.ceil(KILLS / 3)))
