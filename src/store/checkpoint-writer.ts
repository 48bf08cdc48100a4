// The checkpoint's own thread: writes packs of rows to LMDB in one transaction each checkpoint, and reclaims what was
// dropped. Started and spoken to by checkpoint-thread.ts only.
//
// LMDB wants one thread per write transaction, so the transaction is held while packs arrive: the thread sleeps on a
// shared counter and takes messages synchronously. Messages of a run that was given up are passed over by its number.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { ABORT } from 'lmdb'
import { makeThreadMortal, readFaults, restorePages } from '../native/bus-error.js'
import { trimHeapSome } from '../native/heap-trim.js'
import { Environment, sealValue } from './environment.js'
import { reclaimSome } from './retirement.js'
import type { Reclaimed } from './retirement.js'
import { PACK_BYTES, readPack } from './row-pack.js'
import type { Pack } from './row-pack.js'
import { storeFailureText } from './system-error.js'

export interface WriterData {
  readonly folder: string
  /** Brings PackMessages; takes the memory of packs of the usual size back. */
  readonly packs: MessagePort
  /** [0] counts messages sent to `packs`; [1] packs that were written. */
  readonly counters: Int32Array
}

export type WriterCommand = { readonly kind: 'run'; readonly run: number } | { readonly kind: 'close' }

export interface PackMessage {
  readonly run: number
  /** What to do after this pack: wait for another, commit, or give up. */
  readonly next: 'more' | 'commit' | 'abort'
  readonly pack: Pack | undefined
  /** With 'commit': how many rows of retired ids to delete at most. */
  readonly reclaimRowsMax: number
}

export interface WriterReply {
  readonly run: number
  /** Undefined when the transaction is committed and on the device. */
  readonly failure: string | undefined
  readonly reclaimed: Reclaimed
}

/**
 * LMDB keeps what a transaction changes in memory of this thread until the commit. What is more than this goes back
 * afterwards; the allocator would keep it.
 */
const KEPT_BYTES = 32 * 1024 * 1024

const SLICE_US = 1_000_000

const NOTHING: Reclaimed = { rows: 0, ids: 0 }

class Writer {
  readonly #environment: Environment
  readonly #data: WriterData
  /** Of the rows of the run. */
  #bytesWritten = 0
  readonly #own = new Uint8Array(new ArrayBuffer(PACK_BYTES))

  constructor(data: WriterData) {
    this.#data = data
    this.#environment = new Environment(data.folder)
    makeThreadMortal()
  }

  run(run: number): WriterReply {
    let reclaimed = NOTHING
    let aborted = false
    this.#bytesWritten = 0
    restorePages()
    const faults = readFaults()
    try {
      this.#environment.root.transactionSync(() => {
        const last = this.#drain(run)
        aborted = last.next === 'abort'
        if (aborted) return ABORT
        reclaimed = reclaimSome(this.#environment, last.reclaimRowsMax)
        // Somebody met a page that the device does not give: who knows whether it was seen here as well.
        if (readFaults() !== faults) throw new Error('the device does not give all of the file store/data.mdb')
        return undefined
      })
    } catch (error) {
      return { run, failure: storeFailureText(error, this.#data.folder), reclaimed: NOTHING }
    }
    return aborted ? { run, failure: 'given up', reclaimed: NOTHING } : { run, failure: undefined, reclaimed }
  }

  /** Writes packs until one says that it is the last. */
  #drain(run: number): PackMessage {
    for (;;) {
      const message = this.#next()
      if (message.run !== run) continue
      if (message.pack !== undefined) this.#write(message.pack)
      if (message.next !== 'more') return message
    }
  }

  #next(): PackMessage {
    const { packs, counters } = this.#data
    for (;;) {
      const sent = Atomics.load(counters, 0)
      const received = receiveMessageOnPort(packs) as { message: PackMessage } | undefined
      if (received !== undefined) return received.message
      Atomics.wait(counters, 0, sent)
    }
  }

  /** Between two runs. */
  giveMemoryBack(): void {
    const bytes = this.#bytesWritten - KEPT_BYTES
    while (bytes > 0 && trimHeapSome(bytes, SLICE_US));
  }

  #write(pack: Pack): void {
    this.#bytesWritten += pack.used
    const { tables } = this.#environment
    readPack(this.#unshared(pack), (table, key, value) => {
      if (value === undefined) {
        tables[table].removeSync(key)
        return
      }
      sealValue(value)
      tables[table].putSync(key, value)
    })
    if (pack.bytes.byteLength === PACK_BYTES) this.#data.packs.postMessage(pack.bytes)
    Atomics.add(this.#data.counters, 1, 1)
  }

  /** The pack in memory of this thread: lmdb finds no address of values in shared memory. */
  #unshared(pack: Pack): Pack {
    if (pack.bytes instanceof ArrayBuffer) return pack
    const { buffer } = this.#own
    this.#own.set(new Uint8Array(pack.bytes, 0, pack.used))
    return { bytes: buffer, used: pack.used }
  }

  close(): Promise<void> {
    return this.#environment.close()
  }
}

const writer = new Writer(workerData as WriterData)
parentPort?.on('message', (command: WriterCommand) => {
  if (command.kind === 'run') {
    parentPort?.postMessage(writer.run(command.run))
    writer.giveMemoryBack()
  } else void writer.close().then(() => process.exit(0))
})
