// A job as its handler sees it, and the failure that a handler throws on purpose. Used by: worker.

import type { JobFields } from './authority.js'
import { versionedJobId } from './authority.js'
import { JOB_FIELD, VERSION_FIELD } from './redis-authority.js'
import type { Entry } from './stream-group.js'

/** Thrown by a handler: trying again is no use, the entry becomes a dead letter at once. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure'
}

export class Job {
  readonly #entry: Entry
  #fields: JobFields | undefined

  constructor(
    readonly stream: string,
    readonly group: string,
    entry: Entry,
    /** Identity of the work, its version included; what the authority is asked about. */
    readonly id: string,
    /** Aborted when the entry is another worker's now, or when the time to stop has run out. */
    readonly signal: AbortSignal,
  ) {
    this.#entry = entry
  }

  get entryId(): string {
    return this.#entry.id
  }

  /** How often the entry was delivered, this time included. */
  get deliveries(): number {
    return this.#entry.deliveries
  }

  /** Fields as text; of a name that comes twice the last value. */
  get fields(): JobFields {
    return (this.#fields ??= fieldsOfWords(this.#entry.words))
  }

  /** Names and values by turns, as the bytes that were added. */
  get words(): readonly Buffer[] {
    return this.#entry.words
  }
}

export function fieldsOfWords(words: readonly Buffer[]): JobFields {
  const fields: Record<string, string> = {}
  for (let i = 0; i + 1 < words.length; i += 2) fields[words[i].toString()] = words[i + 1].toString()
  return fields
}

/**
 * The job's id: the field `job`, else the entry's id, with the version of the field `version`, else of the worker.
 */
export function jobIdOfEntry(entry: Entry, version: string | undefined): string {
  const { [JOB_FIELD]: job = entry.id, [VERSION_FIELD]: own = version } = fieldsOfWords(entry.words)
  return versionedJobId(job, own)
}
