// The scripts of lua/mailbox, called with typed errors. Used by: whatever of this layer lives on a server.

import type { Redis } from 'ioredis'
import { LuaScripts } from '../client/lua-scripts.js'
import type { ScriptCall } from '../client/lua-scripts.js'
import { CorruptEntry, errorFromReply } from './mailbox-error.js'
import type { MailboxError } from './mailbox-error.js'

export type MailboxScript =
  | 'advance_log_watermark'
  | 'advance_log_watermarks'
  | 'append_dispatch'
  | 'append_event_group'
  | 'begin_rebuild'
  | 'claim_dispatch'
  | 'convert_watermarks'
  | 'gc_completed_dispatch'
  | 'materialize_fresh_single_recipient'
  | 'promote'
  | 'raise_epoch'
  | 'read_log_watermarks'
  | 'truncate_before'

export type MailboxCall = ScriptCall<MailboxScript>

/** What a key of another type means: damage of watermarks or of entries. */
type Damage = new (message: string) => MailboxError

export class MailboxScripts {
  static readonly #scripts = LuaScripts.from<MailboxScript>(new URL('../../lua/mailbox/', import.meta.url))

  constructor(readonly client: Redis) {}

  /** @throws MailboxError, or the connection's error */
  async run(call: MailboxCall, place: string, damage: Damage = CorruptEntry): Promise<unknown> {
    try {
      return await MailboxScripts.#scripts.run(this.client, call.script, call.keys, call.args)
    } catch (error) {
      throw errorFromReply(error, place, damage)
    }
  }

  /** Outcomes in the order of the calls; an Error stands where a call was refused. @throws the connection's error */
  async runAll(calls: readonly MailboxCall[], place: string): Promise<unknown[]> {
    const outcomes = await MailboxScripts.#scripts.runAll(this.client, calls)
    return outcomes.map(({ reply, error }) => (error ? errorFromReply(error, place) : reply))
  }

  /** The SHA-1 under which a server knows a script. */
  static sha1(script: MailboxScript): string {
    return MailboxScripts.#scripts.sha1(script)
  }

  /** The whole text of a script. */
  static text(script: MailboxScript): string {
    return MailboxScripts.#scripts.text(script)
  }
}

/** A bulk string or status of a script as text. */
export function textOf(reply: unknown): string {
  return Buffer.isBuffer(reply) ? reply.toString('latin1') : String(reply)
}
