// What an executor is made of; joined in server.ts.

import type { Clock } from '../base/clock.js'
import type { CorruptionError } from '../base/errors.js'
import type { Server } from '../commands/server.js'
import type { CommandTable } from '../commands/table.js'
import type { Request } from '../resp/request.js'
import type { EffectSink } from '../store/effects.js'
import type { Keyspace } from '../types/keyspace.js'
import type { ClientMemory } from './client-memory.js'
import type { EffectArgument } from './context.js'
import type { Latency } from './latency.js'
import type { MemoryGuard } from './memory-guard.js'
import type { OutputLimits } from './output-limits.js'
import type { ClientSession } from './session.js'
import type { SessionRegistry } from './session-registry.js'
import type { SlowlogList } from './slowlog.js'
import type { ServerStats } from './stats.js'
import type { Commit } from './tick.js'

export interface ExecutorParts {
  readonly server: Server
  readonly clock: Clock
  readonly table: CommandTable
  readonly keyspace: Keyspace
  readonly sink: EffectSink
  readonly commit: Commit
  readonly stats: ServerStats
  readonly slowlog: SlowlogList
  readonly latency: Latency
  readonly sessions: SessionRegistry
  readonly outputLimits: OutputLimits
  readonly memory: MemoryGuard
  readonly clientMemory: ClientMemory
  /** See ContextParts. */
  preamble(): readonly EffectArgument[] | undefined
  /** An invariant of ours is broken: nothing more may be executed. Logs and stops the process. */
  panic(error: unknown, doing: string): void
  /** Milliseconds after which a client is closed that takes nothing of a long reply; 0 for never. */
  streamTimeoutMs(): number
  /** That happened. */
  stalled(session: ClientSession): void
  /** A damaged piece of data was met: notes it and gives the text of the reply. */
  damaged(error: CorruptionError, doing: string, request: Request): string
}
