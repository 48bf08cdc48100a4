import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Reactor, Watch, type SocketUser } from '../../src/native/reactor.js'
import { sendPieces } from '../../src/native/socket-send.js'

/** Writes down what it hears, in one list for all sockets of a test. */
class Recorder implements SocketUser {
  slot = -1
  onReceived: (() => void) | undefined
  constructor(
    readonly name: string,
    readonly heard: string[],
  ) {}
  received(bytes: Buffer, from: number, to: number): void {
    this.heard.push(`${this.name} received ${bytes.toString('latin1', from, to)}`)
    this.onReceived?.()
  }
  ended(): void {
    this.heard.push(`${this.name} ended`)
  }
  broke(): void {
    this.heard.push(`${this.name} broke`)
  }
  writable(): void {
    this.heard.push(`${this.name} writable`)
  }
}

interface Pair {
  /** Node's end. */
  readonly peer: Socket
  readonly fd: number
  readonly user: Recorder
}

/** A reactor with one socket for each name; all at the other end of a socket of Node's. */
async function start(t: Test, ...names: string[]) {
  const heard: string[] = []
  const reactor = new Reactor({ turnBegins: () => void heard.push('('), turnEnds: () => void heard.push(')') })
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const pairs: Pair[] = []
  for (const name of names) {
    const peer = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [accepted] = (await once(server, 'connection')) as [Socket]
    const fd = Reactor.duplicate((accepted as unknown as { _handle: { fd: number } })._handle.fd)
    accepted.destroy()
    const user = new Recorder(name, heard)
    user.slot = reactor.add(fd, user)
    t.equal(user.slot, pairs.length, 'slots are counted up')
    pairs.push({ peer, fd, user })
  }
  t.teardown(async () => {
    for (const { peer, user } of pairs) {
      peer.destroy()
      reactor.close(user.slot)
    }
    reactor.stop()
    server.close()
    await turn()
  })
  return { heard, reactor, pairs }
}

/** Waits until something was heard; fails the test rather than wait for ever. */
async function until(t: Test, heard: string[], what: string): Promise<void> {
  for (let turns = 0; !heard.includes(what); turns++) {
    if (turns > 1_000_000) return void t.fail(`never heard: ${what}, but ${heard.join(', ')}`)
    await turn()
  }
}

t.test('nothing is heard of a socket until it is watched', async t => {
  const { heard, reactor, pairs } = await start(t, 'a')
  pairs[0].peer.write('one')
  for (let i = 0; i < 20; i++) await turn()
  t.same(heard, [])
  reactor.watch(pairs[0].user.slot, Watch.Read)
  await until(t, heard, 'a received one')
  t.same(heard, ['(', 'a received one', ')'])
})

t.test('what lies ready at several sockets is told in one turn', async t => {
  const { heard, reactor, pairs } = await start(t, 'a', 'b', 'c')
  for (const { peer, user } of pairs) await new Promise<unknown>(resolve => peer.write(user.name, resolve))
  for (const { user } of pairs) reactor.watch(user.slot, Watch.Read)
  await until(t, heard, 'c received c')
  t.equal(heard.filter(word => word === '(').length, 1)
  t.equal(heard.length, 5)
})

t.test('a user may have the rest of the turn told from inside its call', async t => {
  const { heard, reactor, pairs } = await start(t, 'a', 'b')
  for (const { peer } of pairs) await new Promise(resolve => peer.write('x', resolve))
  for (const { user } of pairs) {
    user.onReceived = () => {
      reactor.tell()
      heard.push(`${user.name} done`)
    }
    reactor.watch(user.slot, Watch.Read)
  }
  await until(t, heard, ')')
  t.match(heard.join(), /^\(,(a received x,b received x,b done,a done|b received x,a received x,a done,b done),\)$/)
})

t.test('after its close a socket is not heard of, even in the same turn', async t => {
  const { heard, reactor, pairs } = await start(t, 'a', 'b')
  for (const { peer } of pairs) await new Promise(resolve => peer.write('x', resolve))
  for (const [i, { user }] of pairs.entries()) {
    user.onReceived = () => void reactor.close(pairs[1 - i].user.slot)
    reactor.watch(user.slot, Watch.Read)
  }
  await until(t, heard, ')')
  t.equal(heard.length, 3, `one of the two: ${heard.join()}`)
})

t.test('an end is told once, a reset breaks', async t => {
  const { heard, reactor, pairs } = await start(t, 'a', 'b')
  for (const { user } of pairs) reactor.watch(user.slot, Watch.Read)
  pairs[0].peer.end('last')
  await until(t, heard, 'a ended')
  for (let i = 0; i < 20; i++) await turn()
  t.equal(heard.filter(word => word === 'a ended').length, 1)
  pairs[1].peer.resetAndDestroy()
  await until(t, heard, 'b broke')
})

t.test('a full socket is writable when the peer has read', async t => {
  const { heard, reactor, pairs } = await start(t, 'a')
  const [{ peer, fd, user }] = pairs
  peer.pause()
  const piece = Buffer.alloc(1 << 20)
  while (sendPieces(fd, [piece]) > 0);
  reactor.watch(user.slot, Watch.Write)
  for (let i = 0; i < 20; i++) await turn()
  t.same(heard, [])
  peer.resume()
  await until(t, heard, 'a writable')
  reactor.watch(user.slot, Watch.None)
})

t.test('a slot is used again only in a later turn', async t => {
  const { reactor, pairs } = await start(t, 'a', 'b')
  const [{ fd, user }] = pairs
  const twin = Reactor.duplicate(fd)
  reactor.close(user.slot)
  const other = new Recorder('other', [])
  other.slot = reactor.add(twin, other)
  t.equal(other.slot, 2)
  await turn()
  await turn()
  const third = reactor.add(Reactor.duplicate(pairs[1].fd), other)
  t.equal(third, 0)
  reactor.close(third)
  reactor.close(other.slot)
})

t.test('what is no socket is refused', async t => {
  const { reactor } = await start(t)
  t.ok(reactor.add(1_000_000, new Recorder('none', [])) < 0)
  t.ok(Reactor.duplicate(-1) < 0)
})

t.test('a turn takes a bounded number of bytes, and whoever had to wait comes first in the next', async t => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const { reactor, pairs } = await start(t, ...names)
  const turns: { name: string; bytes: number }[][] = []
  const totals = new Map(names.map(name => [name, 0]))
  const each = 400_000
  let left = each * names.length
  const over = new Promise<void>(resolve => {
    for (const { user } of pairs) {
      user.received = (_bytes, from, to) => {
        turns.at(-1)!.push({ name: user.name, bytes: to - from })
        totals.set(user.name, totals.get(user.name)! + to - from)
        left -= to - from
        if (left === 0) resolve()
      }
    }
  })
  const heard = pairs[0].user.heard
  heard.push = (...words) => {
    if (words[0] === '(') turns.push([])
    return words.length
  }
  for (const { peer } of pairs) peer.write(Buffer.alloc(each))
  for (const { user } of pairs) reactor.watch(user.slot, Watch.Read)
  await over
  t.same([...totals.values()], [each, each, each, each, each])
  t.ok(Math.max(...turns.map(turn => turn.reduce((sum, { bytes }) => sum + bytes, 0))) <= 64 * 1024)
  // While all of them send, none is heard twice before each was heard once.
  const order = turns.flat().map(({ name }) => name)
  const first = names.map(name => order.indexOf(name))
  t.ok(Math.max(...first) < 2 * names.length, `first heard at ${first} of ${order.length}`)
})
