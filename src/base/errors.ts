// Every reply text that means "the client's mistake", and the kinds of failure of our own. Clients match on the words:
// each text is Redis' own, to the byte, the code included.

/** The client's mistake: answered with `message`, changes nothing. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError'
  constructor(text: string) {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0 // client errors are ordinary traffic; a stack would cost more than the command
    super(text)
    Error.stackTraceLimit = limit
  }
}

/** Damaged data on the disk: refused by name, never served. */
export class CorruptionError extends Error {
  override readonly name = 'CorruptionError'
}

/** What `work` gives, or `otherwise` when it meets damaged data: for those who want to be rid of it anyway. */
export function unlessDamaged<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof CorruptionError) return otherwise
    throw error
  }
}

/** Bad flag, configuration or data folder: one sentence for the operator; exit status 1. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const replyErrors = {
  syntax: 'ERR syntax error',
  notAnInteger: 'ERR value is not an integer or out of range',
  notAFloat: 'ERR value is not a valid float',
  wrongType: 'WRONGTYPE Operation against a key holding the wrong kind of value',
  noSuchKey: 'ERR no such key',
  outOfRange: 'ERR index out of range',
  /** Ours: Redis ends itself then. */
  noMemory: 'OOM the system gives no memory for this command',
  wrongArity: (name: string) => `ERR wrong number of arguments for '${name}' command`,
} as const

/**
 * Template tag for texts that quote a client's words: each ends at its first NUL, as it does in Redis, whose texts are
 * C strings.
 */
export function quoting(parts: TemplateStringsArray, ...words: readonly string[]): string {
  let text = parts[0]
  for (let i = 0; i < words.length; i++) {
    const end = words[i].indexOf('\0')
    text += (end < 0 ? words[i] : words[i].slice(0, end)) + parts[i + 1]
  }
  return text
}
