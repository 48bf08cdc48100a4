#!/usr/bin/env node
// The command line: reads the configuration, starts one server, tells when it is ready, and ends it at a signal.
// What the operator must know goes to standard error as one sentence, with exit status 1.

import { unlinkSync, writeFileSync } from 'node:fs'
import { systemClock } from './base/clock.js'
import { askedFor, USAGE } from './base/command-line.js'
import { Config } from './base/config.js'
import { CorruptionError, UsageError } from './base/errors.js'
import { HeapGrowth } from './base/heap-growth.js'
import { createLog } from './base/log.js'
import type { Log } from './base/log.js'
import { MILLRACE_VERSION } from './base/version.js'
import { YoungHeap } from './base/young-heap.js'
import { sayAtBusError } from './native/bus-error.js'
import { MillraceServer } from './server.js'
import { TOOLS, toolsUsage } from './tools.js'

const UNREADABLE =
  'millrace: The file store/data.mdb of the data folder cannot be read: the device fails, or the file was cut short. ' +
  'Restore the data folder from a copy.\n'

const startedUs = systemClock.monotonicUs()

async function main(): Promise<void> {
  const argv = process.argv.slice(2)
  const asked = askedFor(argv)
  if (asked !== undefined) {
    process.stdout.write(asked === 'version' ? `millrace ${MILLRACE_VERSION}\n` : USAGE + toolsUsage())
    return
  }
  sayAtBusError(UNREADABLE)
  const tool = TOOLS.get(argv[0])
  if (tool !== undefined) {
    const run = await tool.load()
    process.exitCode = await run(argv.slice(1), {
      out: text => process.stdout.write(text),
      err: text => process.stderr.write(text),
    })
    return
  }
  const config = Config.fromCommandLine(argv)
  const { values } = config
  const log = createLog(values.loglevel, values.logfile === '' ? undefined : values.logfile)
  log.notice(`Millrace ${MILLRACE_VERSION} is starting, PID: ${process.pid}`)
  // Whatever nobody expected must not leave a process that serves on from a state nobody understands.
  process.on('uncaughtException', error => {
    log.warning(`Uncaught exception: ${error.stack ?? error.message}`)
    process.exit(1)
  })
  new HeapGrowth().start()
  new YoungHeap().start()
  const server = await MillraceServer.start({
    config,
    log,
    onListening: listening => {
      if (values.pidfile !== '') writePidFile(values.pidfile, log)
      log.notice(`Listening on ${listening.place}; loading the data`)
      endAtSignals(listening, log)
    },
    onStopped: code => leave(code, values.pidfile),
  })
  const keys = server.keyspace.databases.reduce((sum, db) => sum + db.size, 0)
  const tookMs = Math.round((systemClock.monotonicUs() - startedUs) / 1000)
  log.notice(`Ready to accept connections on ${server.place}`)
  process.stdout.write(
    `millrace ${MILLRACE_VERSION} ready on ${server.place}: ${keys} keys loaded in ${tookMs} ms, ` +
      `appendfsync ${values.appendfsync}\n`,
  )
}

function endAtSignals(server: MillraceServer, log: Log): void {
  let signals = 0
  const end = (signal: NodeJS.Signals, words: readonly string[]): void => {
    if (++signals > 1 && signal === 'SIGINT') {
      log.warning('A second SIGINT: leaving at once. The journal holds everything acknowledged.')
      process.exit(1)
    }
    log.notice(`Received ${signal}, shutting down`)
    server.shutdown({ save: !words.includes('nosave'), now: words.includes('now'), force: words.includes('force') })
  }
  process.on('SIGTERM', () => end('SIGTERM', server.config.values.shutdownOnSigterm))
  process.on('SIGINT', () => end('SIGINT', server.config.values.shutdownOnSigint))
}

function writePidFile(path: string, log: Log): void {
  try {
    writeFileSync(path, `${process.pid}\n`)
  } catch (error) {
    log.warning(`Failed to write the PID file ${path}: ${String(error)}`)
  }
}

function leave(code: number, pidFile: string): void {
  if (pidFile !== '') {
    try {
      unlinkSync(pidFile)
    } catch {
      // Somebody else removed it, or it could not be written.
    }
  }
  process.exit(code)
}

main().catch((error: unknown) => {
  // What the system says of a file is for the operator; where in our code it was met is not.
  const known = error instanceof UsageError || error instanceof CorruptionError
  if (known || (error instanceof Error && 'syscall' in error)) process.stderr.write(`millrace: ${error.message}\n`)
  else process.stderr.write(`millrace: ${error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
})
