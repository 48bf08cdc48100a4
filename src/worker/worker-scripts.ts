// The scripts of lua/worker. Used by: stream-group, redis-authority.

import { LuaScripts } from '../client/lua-scripts.js'

export type WorkerScript =
  | 'authority-dead'
  | 'authority-dispatch'
  | 'authority-done'
  | 'authority-effect'
  | 'authority-relocate'
  | 'claim'
  | 'dead-letter'
  | 'deliveries'
  | 'hand-back'
  | 'heartbeat'
  | 'leave'
  | 'redeliver'
  | 'retire'

export const WORKER_SCRIPTS = LuaScripts.from<WorkerScript>(new URL('../../lua/worker/', import.meta.url))
