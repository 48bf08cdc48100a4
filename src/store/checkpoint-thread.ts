// The main thread's end of the checkpoint writer: starts its thread, sends packs, and hands back what became of a run.
// Used by: checkpoint.ts.

import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { assert } from '../base/assert.js'
import type { PackMessage, WriterCommand, WriterData, WriterReply } from './checkpoint-writer.js'
import type { Pack } from './row-pack.js'

/** Packs on their way before the sender is asked to wait. */
const PACKS_IN_FLIGHT_MAX = 8

export class CheckpointThread {
  readonly #folder: string
  #worker: Worker | undefined
  #packs: MessagePort | undefined
  #counters = new Int32Array(new SharedArrayBuffer(8))
  #packsSent = 0
  #run = 0
  #finish: ((reply: WriterReply) => void) | undefined

  /** @param folder of the LMDB environment, which must be open in this process already */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Begins a transaction. Resolves when it is committed or has failed; never rejects. One at a time. */
  begin(): Promise<WriterReply> {
    assert(this.#finish === undefined, 'a checkpoint is being written already')
    this.#worker ??= this.#start()
    this.#run++
    this.#worker.ref()
    this.#worker.postMessage({ kind: 'run', run: this.#run } satisfies WriterCommand)
    return new Promise(resolve => (this.#finish = resolve))
  }

  /** True when the writer is so far behind that the next pack should wait. */
  get isBehind(): boolean {
    return this.#packsSent - Atomics.load(this.#counters, 1) >= PACKS_IN_FLIGHT_MAX
  }

  /** Memory of a pack that was written. No more are on their way back than were in flight at once. */
  spareMemory(): SharedArrayBuffer | undefined {
    if (this.#packs === undefined) return undefined
    return (receiveMessageOnPort(this.#packs) as { message: SharedArrayBuffer } | undefined)?.message
  }

  /** Sends a pack (none to end a run with what was sent). Nothing happens when the run has failed meanwhile. */
  send(pack: Pack | undefined, next: PackMessage['next'], reclaimRowsMax = 0): void {
    if (this.#finish === undefined || this.#packs === undefined) return
    const message: PackMessage = { run: this.#run, next, pack, reclaimRowsMax }
    if (pack !== undefined) this.#packsSent++
    this.#packs.postMessage(message, pack?.bytes instanceof ArrayBuffer ? [pack.bytes] : [])
    Atomics.add(this.#counters, 0, 1)
    Atomics.notify(this.#counters, 0)
  }

  /** Ends the thread; a run still going on is given up first. */
  async close(): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    if (this.#finish !== undefined) {
      const finish = this.#finish
      const over = new Promise<void>(resolve => {
        this.#finish = reply => {
          finish(reply)
          resolve()
        }
      })
      this.send(undefined, 'abort')
      await over
    }
    worker.ref()
    const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()))
    worker.postMessage({ kind: 'close' } satisfies WriterCommand)
    await ended
  }

  #start(): Worker {
    const { port1, port2 } = new MessageChannel()
    this.#packs = port1
    this.#counters = new Int32Array(new SharedArrayBuffer(8))
    this.#packsSent = 0
    port1.unref()
    const data: WriterData = { folder: this.#folder, packs: port2, counters: this.#counters }
    const worker = startWorker(data)
    worker.on('message', (reply: WriterReply) => this.#over(reply))
    worker.on('error', error => this.#died(worker, error.message))
    worker.on('exit', code => this.#died(worker, `its thread ended with status ${code}`))
    worker.unref()
    return worker
  }

  #died(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    this.#packs?.close()
    this.#packs = undefined
    this.#over({ run: this.#run, failure: reason, reclaimed: { rows: 0, ids: 0 } })
  }

  #over(reply: WriterReply): void {
    const finish = this.#finish
    if (finish === undefined || reply.run !== this.#run) return
    this.#finish = undefined
    this.#worker?.unref()
    // What the writer did not get to is passed over by it; it counts as written.
    this.#packsSent = Atomics.load(this.#counters, 1)
    finish(reply)
  }
}

function startWorker(data: WriterData): Worker {
  const options = { workerData: data, transferList: [data.packs] }
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./checkpoint-writer.js', import.meta.url), options)
  // From source a thread cannot read TypeScript, whatever loader the main thread runs under: it brings its own.
  const loader = import.meta.resolve('tsx/esm/api')
  const writer = new URL('./checkpoint-writer.ts', import.meta.url).href
  const code = `import('${loader}').then(loader => loader.tsImport('${writer}', '${loader}'))`
  return new Worker(code, { ...options, eval: true, execArgv: [] })
}
