// The subcommands of the command line (`millrace check DIR`): one row each, loaded only when asked for, so that a
// server starts without them. A tool lives in admin/ or in its layer and exports a ToolRun. Used by: main.

import type { ToolRun } from './base/tool.js'

export type { ToolOutput, ToolRun } from './base/tool.js'

export interface Tool {
  /** For '--help', after the name: the arguments it takes. */
  readonly takes: string
  /** One line: what it does. */
  readonly summary: string
  readonly load: () => Promise<ToolRun>
}

/** By name. A word of this table as the first argument is the tool, never a configuration file of that name. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map<string, Tool>([
  [
    'check',
    {
      takes: '<folder> [--json] [--repair <new folder>]',
      summary: 'Verifies every page, count and journal record of a data folder, beside a running server too.',
      load: async () => (await import('./admin/check.js')).checkTool,
    },
  ],
  [
    'backup',
    {
      takes: '<folder> <target> [--check] [--json]',
      summary: 'Copies a data folder consistently, beside a running server too.',
      load: async () => (await import('./admin/backup.js')).backupTool,
    },
  ],
  [
    'restore',
    {
      takes: '<backup> <folder> [--no-check]',
      summary: 'Makes a data folder out of a backup, which is verified first.',
      load: async () => (await import('./admin/backup.js')).restoreTool,
    },
  ],
  [
    'stats',
    {
      takes: '<folder> [--top <n>] [--json]',
      summary: 'What a data folder holds and takes: keys, largest streams, tables, free space, journal.',
      load: async () => (await import('./admin/stats.js')).statsTool,
    },
  ],
  [
    'dump-stream',
    {
      takes: '<folder> <key> <file> [--db <n>] [--checkpoint]',
      summary: 'Writes one stream with its groups and pending entries to a file.',
      load: async () => (await import('./admin/stream-dump.js')).dumpStreamTool,
    },
  ],
  [
    'load-stream',
    {
      takes: '<file> [--host <name>] [--port <n>] [--key <name>] [--db <n>] [--replace]',
      summary: 'Brings a dumped stream into a running server, Millrace or Redis 7.',
      load: async () => (await import('./admin/stream-load.js')).loadStreamTool,
    },
  ],
  [
    'worker',
    {
      takes: '[stream...] [--port <port>] [--interval <s>] [--count <n>] [--json]',
      summary: 'A live table of consumer groups: consumers, lag, pending entries, oldest age, rates.',
      load: async () => (await import('./worker/worker-command.js')).runWorkerCommand,
    },
  ],
  [
    'mailbox',
    {
      takes: 'convert|fence|show --shard <n> [--to packed-v1|packed-v2] [--dry-run]',
      summary: 'Looks at the watermarks of a mailbox shard, fences its owner, converts its layout offline.',
      load: async () => (await import('./mailbox/mailbox-tool.js')).runMailboxTool,
    },
  ],
])

/** The part of '--help' that lists the tools. */
export function toolsUsage(): string {
  const lines = [...TOOLS].flatMap(([name, tool]) => [`  millrace ${name} ${tool.takes}`, `      ${tool.summary}`])
  return lines.length === 0 ? '' : `\nTools:\n\n${lines.join('\n')}\n`
}
