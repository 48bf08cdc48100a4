// XDELEX and XACKDEL: entries are deleted by ID, with or without what refers to them. Used by: stream-commands.
// Uses: stream-reference-policy, stream-arguments. Both are journaled as they came.

import { ReplyError, replyErrors } from '../base/errors.js'
import { streamErrors } from '../base/stream-errors.js'
import { formatId } from '../base/stream-id.js'
import type { StreamId } from '../base/stream-id.js'
import { dropReferences, eachOnce, referencedAmong } from '../types/stream/stream-api.js'
import type { ReferencePolicy, Stream } from '../types/stream/stream-api.js'
import type { Args } from './args.js'
import type { CommandContext } from './context.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { streamToWrite } from './stream-arguments.js'
import { idsOfBlock, takeIdBlock, takePolicy } from './stream-reference-policy.js'
import type { IdBlock } from './stream-reference-policy.js'

const NONE: ReadonlySet<string> = new Set()
/** What is answered for each ID. */
const ANSWER = { absent: -1, deleted: 1, referenced: 2 } as const

interface Deletion {
  readonly policy: ReferencePolicy
  readonly ids: readonly StreamId[]
}

/** The rest of the arguments: a policy and a block of IDs, in either order. @throws ReplyError */
function parseDeletion(a: Args): Deletion {
  let policy: ReferencePolicy | undefined
  let block: IdBlock | undefined
  while (a.remaining > 0) {
    const word = policy === undefined ? takePolicy(a) : undefined
    if (word !== undefined) {
      policy = word
    } else if (block === undefined && a.remaining > 1 && a.take('IDS')) {
      block = takeIdBlock(a, { notPositive: streamErrors.idsNotPositive, mismatch: streamErrors.idsMismatch })
    } else {
      throw new ReplyError(replyErrors.syntax)
    }
  }
  if (block === undefined) throw new ReplyError(replyErrors.syntax)
  return { policy: policy ?? 'keep', ids: idsOfBlock(a, block) }
}

/** What a command did, for the journal and for who listens. */
class Changes {
  deleted = 0
  references = 0

  /** Deletes `ids` as `policy` says; the answer for each. Groups are asked about all of them at once. */
  deleteAll(
    stream: Stream,
    ids: readonly StreamId[],
    policy: ReferencePolicy,
    // An entry that is gone but pending somewhere is still referred to, so this is asked first.
    referenced = policy === 'acked' ? referencedAmong(stream, ids) : NONE,
  ): number[] {
    if (policy === 'drop') this.references += dropReferences(stream, ids)
    const isReferenced = (id: StreamId): boolean => referenced.size > 0 && referenced.has(formatId(id))
    const free = referenced.size > 0 ? ids.filter(id => !isReferenced(id)) : ids
    const deleted = eachOnce(free, some => stream.deleteAll(some))
    let at = 0
    return ids.map(id => {
      if (isReferenced(id)) return ANSWER.referenced
      if (!deleted[at++]) return ANSWER.absent
      this.deleted++
      return ANSWER.deleted
    })
  }

  settle(ctx: CommandContext, key: string): void {
    if (this.deleted + this.references > 0) ctx.changed(this.deleted + this.references)
    if (this.deleted === 0) return
    ctx.touched(key)
    ctx.notify('t', 'xdel', key)
  }
}

function writeAnswers(ctx: CommandContext, answers: readonly number[]): void {
  ctx.reply.array(answers.length)
  for (const answer of answers) ctx.reply.integer(answer)
}

interface DeleteOptions extends Deletion {
  readonly key: string
}

export const xdelex = defineCommand<DeleteOptions>({
  name: 'xdelex',
  arity: -5,
  flags: Flag.Write | Flag.Fast,
  categories: ['stream'],
  keys: keysAt(['RW', 'delete'], 1),
  group: 'stream',
  since: '8.2.0',
  summary: 'Deletes entries by ID with what refers to them, or only those that no group needs any more.',
  complexity: 'O(log N) per ID and group',
  parse: a => ({ key: a.key(), ...parseDeletion(a) }),
  run(ctx, { key, policy, ids }) {
    const stream = streamToWrite(ctx, key)
    const changes = new Changes()
    writeAnswers(ctx, stream === undefined ? ids.map(() => ANSWER.absent) : changes.deleteAll(stream, ids, policy))
    changes.settle(ctx, key)
  },
})

interface AckDeleteOptions extends DeleteOptions {
  readonly group: string
}

export const xackdel = defineCommand<AckDeleteOptions>({
  name: 'xackdel',
  arity: -6,
  flags: Flag.Write | Flag.Fast,
  categories: ['stream'],
  keys: keysAt(['RW', 'delete'], 1),
  group: 'stream',
  since: '8.2.0',
  summary: 'Acknowledges entries for a group and deletes them, or only those that no other group needs any more.',
  complexity: 'O(log N) per ID and group',
  parse: a => ({ key: a.key(), group: a.text(), ...parseDeletion(a) }),
  run(ctx, { key, group: name, policy, ids }) {
    const stream = streamToWrite(ctx, key)
    const group = stream?.group(name)
    const changes = new Changes()
    const answers: number[] = ids.map(() => ANSWER.absent)
    if (stream !== undefined && group !== undefined) {
      // Before anything is changed: among very many groups the command comes back for it.
      const isPending = eachOnce(ids, some => group.pendingEach(some))
      const acked = [...ids.keys()].filter(i => isPending[i])
      const ackedIds = acked.map(i => ids[i])
      const referenced = policy === 'acked' ? referencedAmong(stream, ackedIds, group) : NONE
      eachOnce(ackedIds, some => group.ackEach(some))
      changes.references += acked.length
      const deleted = changes.deleteAll(stream, ackedIds, policy, referenced)
      for (const [k, i] of acked.entries()) {
        // Acknowledged and not there: nothing of it is left, which is what was asked for.
        answers[i] = deleted[k] === ANSWER.absent ? ANSWER.deleted : deleted[k]
      }
    }
    writeAnswers(ctx, answers)
    changes.settle(ctx, key)
  },
})
