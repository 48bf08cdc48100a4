// The end of a tick. All commands that arrived in one turn of the event loop are executed as they come; then, once:
// clients that no longer wait go on, the journal is written (and synced in `always`), and only then the replies leave.
//
// Invariants: (1) a reply never leaves before everything executed before it is as durable as the policy says; (2) the
// replies of a client leave in order, see ClientSession.release.

import type { ClientSession, SealedOutput } from './session.js'

/**
 * Writes what was executed until now; `done` is called when it is as durable as the policy says, at once when nothing
 * is to be waited for; with a reason when it never will be. `clients`: how many wait for it.
 */
export type Commit = (done: (fault?: string) => void, clients: number) => void

export class Tick {
  readonly #commit: Commit
  readonly #beforeOutput: () => void
  readonly #run = (): void => this.endIfDue()
  #scheduled = false
  /** What arrived in a turn of the event loop is being handled: the tick ends with it. */
  #turning = false
  #output: ClientSession[] = []
  #resumable: ClientSession[] = []
  /** False from the end of a tick to the first command of the next. */
  begun = false

  /** @param beforeOutput may add to it; called at the end of each tick */
  constructor(commit: Commit, beforeOutput: () => void = () => undefined) {
    this.#commit = commit
    this.#beforeOutput = beforeOutput
  }

  /** The session has output, or wants to end: it is seen to at the end of the tick. */
  enlist(session: ClientSession): void {
    if (session.enlisted) return
    session.enlisted = true
    this.#output.push(session)
    this.schedule()
  }

  /** The session may parse on; at the end of the tick, so that commands never run inside one another. */
  resume(session: ClientSession): void {
    this.#resumable.push(session)
    this.schedule()
  }

  /** Something is to be committed, even if nobody waits for a reply. */
  schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    if (!this.#turning) setImmediate(this.#run)
  }

  turnBegins(): void {
    this.#turning = true
  }

  /** All sockets that were readable in this turn have been heard, so that they share one write of the journal. */
  turnEnds(): void {
    this.#turning = false
    if (this.#scheduled) this.end()
  }

  /** What was answered beside a turn need not wait for the next. */
  endIfDue(): void {
    if (this.#scheduled && !this.#turning) this.end()
  }

  end(): void {
    while (this.#resumable.length > 0) {
      const resumable = this.#resumable
      this.#resumable = []
      for (const session of resumable) session.goOn()
    }
    this.#beforeOutput()
    this.#scheduled = false
    this.begun = false
    this.flush()
  }

  /**
   * Sends off what was answered until now. Between commands, or in the middle of one that has recorded nothing: then
   * without the output of its own client, whose place in it the command knows.
   */
  flush(except?: ClientSession): void {
    const sessions = except === undefined ? this.#output : this.#output.filter(session => session !== except)
    this.#output = []
    if (except !== undefined) {
      except.enlisted = false
      this.enlist(except)
    }
    const outputs: SealedOutput[] = []
    for (let i = 0; i < sessions.length; i++) outputs.push(sessions[i].seal())
    this.#commit(fault => {
      for (let i = 0; i < sessions.length; i++) {
        // A reply must not claim what was lost; the client sees a broken connection and knows nothing, as it should.
        if (fault === undefined) sessions[i].release(outputs[i])
        else sessions[i].close('now')
      }
    }, sessions.length)
  }
}
