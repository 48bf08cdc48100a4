// One client's journey through a crash: an endless, deterministic sequence of operations on keys of its own, and a
// slow, obvious model of what the first k of them leave behind. Because a server executes and journals one client's
// commands in order, what it holds after a crash must be the model's state after k operations, for one k between the
// acknowledged and the sent ones.

import type { RespClient } from '../support/resp-client.js'
import { encodeCommand } from '../support/resp-client.js'
import { Seeded } from '../support/seeded.js'
import { fieldsOperation } from './journey-fields.js'
import type { FieldsState } from './journey-fields.js'
import { listOperation } from './journey-list.js'
import type { ListState } from './journey-list.js'
import { inOrder, zsetOperation } from './journey-zset.js'
import type { ZsetState } from './journey-zset.js'

type Command = (string | number)[]

interface Operation {
  /** Wire commands of the operation: one, or a MULTI … EXEC. */
  readonly commands: Command[]
  apply(state: State): void
}

interface State extends FieldsState, ListState, ZsetState {
  entries: { id: number; value: string }[]
  lastDelivered: number
  pending: Map<number, number>
  counter: string
  exists: boolean
}

const BATCH = 40
const KEPT = 60
/** More is delivered than acknowledged: the group is made anew after so many operations, or it would grow for ever. */
const GROUP_LIFE = 1000
const REFUSED_PAUSE_MS = 5

export class Journey {
  acknowledged = 0
  sent = 0
  #state: State = {
    entries: [],
    lastDelivered: 0,
    pending: new Map(),
    counter: '',
    exists: false,
    hash: new Map(),
    set: new Set(),
    zset: new Map(),
    list: [],
  }
  readonly #stream: string
  readonly #counter: string
  readonly #hash: string
  readonly #set: string
  readonly #zset: string
  readonly #list: string

  constructor(
    name: string,
    readonly seed: number,
  ) {
    this.#stream = `stream:${name}`
    this.#counter = `counter:${name}`
    this.#hash = `hash:${name}`
    this.#set = `set:${name}`
    this.#zset = `zset:${name}`
    this.#list = `list:${name}`
  }

  /** Sends batches until the connection breaks. */
  async travel(client: RespClient): Promise<void> {
    try {
      for (;;) {
        const operations = Array.from({ length: BATCH }, (_, i) => this.#operation(this.sent + i))
        const commands = operations.flatMap(operation => operation.commands)
        this.sent += BATCH
        client.send(Buffer.concat(commands.map(encodeCommand)))
        for (const operation of operations) {
          for (const command of operation.commands) {
            const reply = await client.reply()
            if (reply[0] === 45) throw new Refused(`${command.join(' ')}: ${reply.toString('latin1')}`)
          }
          this.acknowledged++
        }
      }
    } catch (error) {
      if (error instanceof Refused) throw error
    }
  }

  /**
   * One operation at a time until the connection breaks; one that is refused because the journal takes no writes is
   * tried again until it is not. `refused` is told the words of each refusal.
   */
  async travelThroughFaults(client: RespClient, refused: (words: string) => void): Promise<void> {
    try {
      for (;;) {
        this.sent = this.acknowledged + 1
        if (await this.#accepted(client, this.#operation(this.acknowledged), refused)) this.acknowledged++
        else await new Promise(resolve => setTimeout(resolve, REFUSED_PAUSE_MS))
      }
    } catch (error) {
      if (error instanceof Refused) throw error
    }
  }

  async #accepted(client: RespClient, operation: Operation, refused: (words: string) => void): Promise<boolean> {
    client.send(Buffer.concat(operation.commands.map(encodeCommand)))
    let accepted = true
    for (const command of operation.commands) {
      const reply = (await client.reply()).toString('latin1')
      if (reply[0] !== '-') continue
      if (!/^-(MISCONF|EXECABORT) /.test(reply)) throw new Refused(`${command.join(' ')}: ${reply}`)
      refused(reply)
      accepted = false
    }
    return accepted
  }

  /**
   * Compares what the server holds with the model after acknowledged … sent operations, and goes on from the one that
   * fits.
   * @returns undefined when one fits, else a description
   */
  async verify(client: RespClient): Promise<string | undefined> {
    const held = await this.#digestOf(client)
    const from = this.#applied
    const digests: string[] = []
    for (let k = from; k <= this.sent; k++) {
      if (k >= this.acknowledged) {
        const digest = this.#digest()
        if (digest === held) {
          this.acknowledged = this.sent = k
          return undefined
        }
        digests.push(digest)
      }
      if (k < this.sent) this.#step()
    }
    const [first, last] = [digests[0], digests.at(-1)]
    return `no state between ${digests.length} candidates fits\nserver: ${held}\nfirst:  ${first}\nlast:   ${last}`
  }

  #applied = 0
  #step(): void {
    this.#operation(this.#applied).apply(this.#state)
    this.#applied++
  }

  /** Operation number `n`; the same whenever it is asked for. */
  #operation(n: number): Operation {
    if (n === 0) return this.#createGroup()
    if (n % GROUP_LIFE === 0) return this.#renewGroup()
    const rng = new Seeded(this.seed + n * 7919)
    const id = n
    const value = 'x'.repeat(rng.below(200)) + n
    const add: Command = ['XADD', this.#stream, `${id}-0`, 'n', value]
    const append = (s: State) => void s.entries.push({ id, value })
    switch (rng.below(21)) {
      case 0:
      case 1:
        return this.#read(1 + rng.below(4))
      case 2:
        return this.#acknowledge(n, rng)
      case 3: {
        const victim = Math.max(1, n - rng.below(20))
        return {
          commands: [['XDEL', this.#stream, `${victim}-0`]],
          apply: s => void (s.entries = s.entries.filter(entry => entry.id !== victim)),
        }
      }
      case 4:
        return {
          commands: [['MULTI'], add, ['SET', this.#counter, n], ['EXEC']],
          apply: s => {
            append(s)
            s.counter = String(n)
          },
        }
      case 5:
        return {
          commands: [['XTRIM', this.#stream, 'MAXLEN', KEPT]],
          apply: s => void (s.entries = s.entries.slice(-KEPT)),
        }
      case 6:
        return { commands: [['SET', this.#counter, n]], apply: s => void (s.counter = String(n)) }
      case 7:
      case 8:
      case 9:
        return { commands: [add], apply: append }
      case 10:
      case 11:
      case 12:
      case 13: {
        const { command, apply } = zsetOperation(n, rng, this.#zset)
        return { commands: [command], apply }
      }
      case 14:
      case 15:
      case 16: {
        const { command, apply } = listOperation(n, rng, this.#list)
        return { commands: [command], apply }
      }
      default: {
        const { command, apply } = fieldsOperation(n, rng, this.#hash, this.#set)
        return { commands: [command], apply }
      }
    }
  }

  #createGroup(): Operation {
    return {
      commands: [['XGROUP', 'CREATE', this.#stream, 'group', '0', 'MKSTREAM']],
      apply: s => void (s.exists = true),
    }
  }

  #renewGroup(): Operation {
    const destroy: Command = ['XGROUP', 'DESTROY', this.#stream, 'group']
    const create: Command = ['XGROUP', 'CREATE', this.#stream, 'group', '0']
    return {
      commands: [['MULTI'], destroy, create, ['EXEC']],
      apply: s => {
        s.pending.clear()
        s.lastDelivered = 0
      },
    }
  }

  #read(count: number): Operation {
    return {
      commands: [['XREADGROUP', 'GROUP', 'group', 'worker', 'COUNT', count, 'STREAMS', this.#stream, '>']],
      apply: s => {
        for (const { id } of s.entries.filter(entry => entry.id > s.lastDelivered).slice(0, count)) {
          s.pending.set(id, 1)
          s.lastDelivered = id
        }
      },
    }
  }

  #acknowledge(n: number, rng: Seeded): Operation {
    const first = Math.max(1, n - 5 - rng.below(30))
    const ids = [first, first + 1, first + 2]
    return {
      commands: [['XACK', this.#stream, 'group', ...ids.map(id => `${id}-0`)]],
      apply: s => ids.forEach(id => void s.pending.delete(id)),
    }
  }

  #digest(): string {
    const s = this.#state
    if (!s.exists) return 'nothing'
    return JSON.stringify({
      entries: s.entries.map(entry => [`${entry.id}-0`, entry.value]),
      length: s.entries.length,
      pending: [...s.pending].sort((a, b) => a[0] - b[0]).map(([id, count]) => [`${id}-0`, count]),
      pendingCount: s.pending.size,
      lastDelivered: s.lastDelivered === 0 ? '0-0' : `${s.lastDelivered}-0`,
      counter: s.counter,
      hash: [...s.hash].map(pair => pair.join('=')).sort(),
      set: [...s.set].sort(),
      zset: inOrder(s).map(([member, score]) => `${score} ${member}`),
      list: s.list,
    })
  }

  async #digestOf(client: RespClient): Promise<string> {
    const ask = async (...command: Command) => textsOf(await client.command(...command))
    if ((await client.text('EXISTS', this.#stream)) === ':0\r\n') return 'nothing'
    const entries = pairsOf(await ask('XRANGE', this.#stream, '-', '+'), 3).map(([id, , value]) => [id, value])
    const rows = pairsOf(await ask('XPENDING', this.#stream, 'group', '-', '+', 1_000_000), 4)
    const group = await ask('XINFO', 'GROUPS', this.#stream)
    const counter = await ask('GET', this.#counter)
    return JSON.stringify({
      entries,
      length: Number((await ask('XLEN', this.#stream))[0]),
      pending: rows.map(([id, , , count]) => [id, Number(count)]),
      pendingCount: Number(group[group.indexOf('pending') + 1]),
      lastDelivered: group[group.indexOf('last-delivered-id') + 1],
      counter: counter[0] ?? '',
      hash: pairsOf(await ask('HGETALL', this.#hash), 2)
        .map(pair => pair.join('='))
        .sort(),
      set: (await ask('SMEMBERS', this.#set)).sort(),
      zset: pairsOf(await ask('ZRANGE', this.#zset, 0, -1, 'WITHSCORES'), 2).map(
        ([member, score]) => `${score} ${member}`,
      ),
      list: await ask('LRANGE', this.#list, 0, -1),
    })
  }
}

/** The server refused an operation: a defect, not a crash. */
class Refused extends Error {}

/** All strings and integers of a RESP2 reply in order, array heads left out. */
function textsOf(reply: Buffer): string[] {
  const texts: string[] = []
  for (let at = 0; at < reply.length;) {
    const eol = reply.indexOf('\r\n', at)
    const line = reply.toString('latin1', at + 1, eol)
    const type = reply[at]
    at = eol + 2
    if (type === 36 && line !== '-1') {
      texts.push(reply.toString('latin1', at, at + Number(line)))
      at += Number(line) + 2
    } else if (type === 58 || type === 43 || type === 45) texts.push(line)
  }
  return texts
}

function pairsOf(texts: readonly string[], width: number): string[][] {
  return Array.from({ length: texts.length / width }, (_, i) => texts.slice(i * width, (i + 1) * width))
}
