// Listening sockets, and the door policy: who is let in, who is refused with which words, who is shown out for idling.
// Everything behind the door is connection.ts.
//
// Invariants: (1) rebind() either listens where it was told to, or where it did before; connections survive it;
// (2) after close() nothing listens and no connection lives.

import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { createServer, Socket, type AddressInfo, type ListenOptions, type Server } from 'node:net'
import { UsageError } from '../base/errors.js'
import type { ClientHandler, ParserLimits, Transport } from '../exec/transport.js'
import { Reactor, type TurnListener } from '../native/reactor.js'
import { acceptNow } from '../native/socket-now.js'
import { isLoopback, isMissingAddress, parseBindAddress } from './bind-address.js'
import { Connection, type AcceptedSocket, type ConnectionHost, type NetCounters } from './connection.js'

export interface TcpPlace {
  /** 0 for any free port, the same on every address. Undefined for no TCP at all. */
  readonly port: number | undefined
  /** Words of the `bind` option. */
  readonly bind: readonly string[]
}

export interface ListenerOptions extends TcpPlace {
  /** Path of a Unix socket, '' for none. */
  readonly unixPath: string
  /** Permission bits of the Unix socket; 0 leaves those of the umask. */
  readonly unixMode: number
  readonly backlog: number
}

/** Read anew for each connection and each second: getters on the live configuration. */
export interface DoorPolicy {
  readonly clientsMax: number
  /** Seconds, 0 for no keep-alive probes. */
  readonly keepAliveS: number
  /** Redis' `timeout`: seconds after which an idle client is disconnected, 0 for never. */
  readonly idleS: number
  /** Protected mode is on and the default user needs no password: only this machine is let in. */
  readonly localOnly: boolean
  readonly parserLimits: ParserLimits
}

const FULL = '-ERR max number of clients reached\r\n'
const DENIED =
  '-DENIED This server is in protected mode and its default user has no password, so it talks to its own machine ' +
  'only. To be let in from elsewhere, set a password for the default user (CONFIG SET requirepass, or the option ' +
  'requirepass at start), or, if nobody else can reach this port, turn protected mode off (CONFIG SET protected-mode ' +
  'no, or the option --protected-mode no at start).\r\n'
const SECOND_MS = 1000
/** What one connection is heard of at a time by lookNow(). */
const LOOK_BYTES = 64 * 1024

export class Listener implements ConnectionHost {
  second = 0
  readonly counters: NetCounters
  readonly reactor: Reactor

  readonly #options: ListenerOptions
  readonly #policy: DoorPolicy
  readonly #accept: (transport: Transport) => ClientHandler
  readonly #connections = new Set<Connection>()
  #place: TcpPlace
  #tcp: Server[] = []
  #unix: Server | undefined
  #timer: NodeJS.Timeout | undefined
  #lookBuffer: Buffer | undefined
  #closed = false

  /**
   * `accept` is called for every client that was let in and returns who hears of its requests; `turn` hears when what
   * arrived in a turn of the event loop begins and ends.
   */
  constructor(
    options: ListenerOptions,
    policy: DoorPolicy,
    counters: NetCounters,
    accept: (transport: Transport) => ClientHandler,
    turn: TurnListener,
  ) {
    this.reactor = new Reactor(turn)
    this.#options = options
    this.#policy = policy
    this.#place = options
    this.#accept = accept
    this.counters = counters
  }

  /** The TCP port, 0 when there is none. */
  get port(): number {
    const first = this.#tcp[0]?.address()
    return first ? (first as AddressInfo).port : 0
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  /** Listens. Rejects with UsageError when an address cannot be had; then nothing listens. */
  async listen(): Promise<void> {
    try {
      await this.#listenTcp(this.#place)
      if (this.#options.unixPath !== '') await this.#listenUnix()
    } catch (error) {
      await this.close()
      throw error
    }
    this.#timer = setInterval(() => this.countSecond(), SECOND_MS)
    this.#timer.unref()
  }

  /** Listens elsewhere from now on. Rejects with UsageError, and goes on as before, when that is not possible. */
  async rebind(place: TcpPlace): Promise<void> {
    const before = this.#tcp
    const samePort = place.port !== undefined && place.port === this.port
    // On another port both can listen for a moment; on the same one the old sockets are in the way.
    if (samePort) stopListening(before)
    this.#tcp = []
    try {
      await this.#listenTcp(place)
    } catch (error) {
      stopListening(this.#tcp)
      this.#tcp = samePort ? [] : before
      if (samePort) await this.#listenTcp({ bind: this.#place.bind, port: place.port })
      throw error
    }
    this.#place = place
    if (!samePort) stopListening(before)
  }

  /** Refuses new clients from now on; those inside stay. */
  stopAccepting(): void {
    stopListening(this.#tcp)
    this.#tcp = []
    this.#unix?.close()
    this.#unix = undefined
    clearInterval(this.#timer)
  }

  /** Stops listening and ends every connection at once; resolves when all are gone. */
  async close(): Promise<void> {
    this.stopAccepting()
    for (const connection of this.#connections) connection.destroy()
    while (this.#connections.size > 0) await new Promise(resolve => setImmediate(resolve))
    if (!this.#closed) this.reactor.stop()
    this.#closed = true
  }

  /** For CONFIG SET: passes changed limits on to those already connected. */
  setParserLimits(limits: Partial<ParserLimits>): void {
    for (const connection of this.#connections) connection.setParserLimits(limits)
  }

  closed(connection: Connection): void {
    this.#connections.delete(connection)
  }

  /** One second passed: shows out whoever idled too long. Called by the listener's own timer. */
  countSecond(): void {
    this.second++
    const limit = this.#policy.idleS
    if (limit === 0) return
    for (const connection of this.#connections) {
      if (this.second - connection.lastActiveSecond > limit && connection.idle) connection.destroy()
    }
  }

  /**
   * Lets in who waits and has handled what has arrived, without the event loop: for a command that runs on and on.
   * Nothing else of the process runs meanwhile.
   */
  lookNow(): void {
    this.#lookBuffer ??= Buffer.allocUnsafeSlow(LOOK_BYTES)
    // What the running turn has already received comes first.
    this.reactor.tell()
    for (const server of this.#tcp) this.#acceptNow(server, undefined)
    if (this.#unix !== undefined) this.#acceptNow(this.#unix, this.#options.unixPath)
    for (const connection of this.#connections) connection.receiveNow(this.#lookBuffer)
  }

  #acceptNow(server: Server, unixPath: string | undefined): void {
    const handle = (server as unknown as { _handle?: { fd?: number } })._handle
    if (handle?.fd === undefined) return
    for (;;) {
      const fd = acceptNow(handle.fd)
      if (fd < 0) return
      this.#admit(new Socket({ fd, allowHalfOpen: true }).setNoDelay(true), unixPath)
    }
  }

  async #listenTcp(place: TcpPlace): Promise<void> {
    if (place.port === undefined) return
    let port = place.port
    for (const word of place.bind) {
      const { host, optional } = parseBindAddress(word)
      const server = this.#newServer(undefined)
      try {
        await listenOn(server, { host, port, backlog: this.#options.backlog, ipv6Only: true, exclusive: true })
      } catch (error) {
        if (optional && isMissingAddress(error as NodeJS.ErrnoException)) continue
        throw listenFailure(`${host} port ${port}`, error)
      }
      this.#tcp.push(server)
      port = this.port
    }
    if (this.#tcp.length === 0) throw new UsageError(`none of the bind addresses can be used: ${place.bind.join(' ')}`)
  }

  async #listenUnix(): Promise<void> {
    const { unixPath, unixMode, backlog } = this.#options
    // A server that was killed leaves its socket behind. Anything else at that path is not ours to remove.
    if (lstatSync(unixPath, { throwIfNoEntry: false })?.isSocket()) unlinkSync(unixPath)
    const server = this.#newServer(unixPath)
    try {
      await listenOn(server, { path: unixPath, backlog })
      if (unixMode !== 0) chmodSync(unixPath, unixMode)
    } catch (error) {
      server.close()
      throw listenFailure(unixPath, error)
    }
    this.#unix = server
  }

  #newServer(unixPath: string | undefined): Server {
    // allowHalfOpen: a client may send its last commands, shut its side down and still read the replies.
    const options = { allowHalfOpen: true, noDelay: true, pauseOnConnect: true }
    const server = createServer(options, socket => this.#admit(socket, unixPath))
    // Failing to accept (too many open files) must not end the process; the next client is tried again.
    server.on('error', ignore)
    return server
  }

  #admit(socket: Socket, unixPath: string | undefined): void {
    if (this.#connections.size >= this.#policy.clientsMax) return this.#refuse(socket, FULL)
    if (unixPath === undefined && this.#policy.localOnly && !isLoopback(socket.remoteAddress)) {
      return this.#refuse(socket, DENIED)
    }
    this.counters.connectionsReceived++
    if (unixPath === undefined && this.#policy.keepAliveS > 0) {
      socket.setKeepAlive(true, this.#policy.keepAliveS * 1000)
    }
    const accepted = takeOver(socket, unixPath)
    if (accepted === undefined) return
    const connection = new Connection(accepted, this, this.#policy.parserLimits)
    this.#connections.add(connection)
    connection.start(this.#accept(connection))
  }

  #refuse(socket: Socket, text: string): void {
    this.counters.rejectedConnections++
    socket.on('error', ignore)
    socket.end(text, () => socket.destroy())
  }
}

/** Takes the connection out of Node's hands; undefined when it is gone already. */
function takeOver(socket: Socket, unixPath: string | undefined): AcceptedSocket | undefined {
  const { _handle: handle } = socket as unknown as { _handle?: { fd?: number } }
  const fd = handle?.fd === undefined ? -1 : Reactor.duplicate(handle.fd)
  // Asked for once: each question is a system call, and after a reset there is no answer.
  const unix = unixPath !== undefined
  const address = unix ? `${unixPath}:0` : addressOf(socket.remoteAddress, socket.remotePort)
  const localAddress = unix ? `${unixPath}:0` : addressOf(socket.localAddress, socket.localPort)
  socket.on('error', ignore)
  socket.destroy()
  return fd < 0 ? undefined : { fd, address, localAddress, unix }
}

function addressOf(ip: string | undefined, port: number | undefined): string {
  if (ip === undefined || port === undefined) return '?:0'
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`
}

function listenOn(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
}

function stopListening(servers: readonly Server[]): void {
  for (const server of servers) server.close()
}

function listenFailure(where: string, error: unknown): UsageError {
  return new UsageError(`cannot listen on ${where}: ${error instanceof Error ? error.message : String(error)}`)
}

function ignore(): void {}
