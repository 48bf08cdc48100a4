// The server's log: Redis' four levels on pino, one readable line per event. Handed to whoever has something to say.
// Lines go out at once and in order, so that the last one before a crash is there.

import pino from 'pino'

export const LOG_LEVELS = ['debug', 'verbose', 'notice', 'warning'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface Log {
  /** What is less important is dropped; may be changed at any time. */
  level: LogLevel
  debug(message: string): void
  verbose(message: string): void
  notice(message: string): void
  warning(message: string): void
}

/** Where lines go; each call is one whole line, its end included. */
export interface LogDestination {
  write(line: string): void
}

// pino's numbers of its own levels debug, info, warn and error, so that its tools understand ours.
const VALUES: Record<LogLevel, number> = { debug: 20, verbose: 30, notice: 40, warning: 50 }
const MARKS: Record<LogLevel, string> = { debug: '.', verbose: '-', notice: '*', warning: '#' }

/**
 * @param destination a file path, or something with write(); standard output when left out
 * @param form 'line' for people, 'json' for machines
 */
export function createLog(level: LogLevel, destination?: string | LogDestination, form: 'line' | 'json' = 'line'): Log {
  const target =
    typeof destination === 'object'
      ? destination
      : pino.destination({ dest: destination ?? 1, sync: true, mkdir: false, append: true })
  const stream = form === 'json' ? target : { write: (line: string) => void target.write(readable(line)) }
  const log = pino<LogLevel>(
    {
      level,
      customLevels: VALUES,
      useOnlyCustomLevels: true,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    stream,
  )
  return {
    get level() {
      return log.level as LogLevel
    },
    set level(next: LogLevel) {
      log.level = next
    },
    debug: message => log.debug(message),
    verbose: message => log.verbose(message),
    notice: message => log.notice(message),
    warning: message => log.warning(message),
  }
}

/** A log that says nothing; for tests and embedding. */
export function silentLog(): Log {
  const nothing = (): void => undefined
  return { level: 'warning', debug: nothing, verbose: nothing, notice: nothing, warning: nothing }
}

/** `<pid> <time> <mark> <message>`, the marks as in Redis' log. */
function readable(line: string): string {
  const { pid, time, level, msg } = JSON.parse(line) as { pid: number; time: string; level: LogLevel; msg: string }
  return `${pid} ${time} ${MARKS[level]} ${msg.replaceAll('\n', '\n  ')}\n`
}
