// `millrace check`: verifies a data folder and says what is wrong, by key. Exit status 0 when it is whole, 2 when not.

import { systemClock } from '../base/clock.js'
import type { ToolOutput, ToolRun } from '../base/tool.js'
import { checkFolder } from './folder-check.js'
import type { FolderReport } from './folder-check.js'
import type { Finding } from './store-check.js'
import { parsed, toolCommand } from './tool-arguments.js'

export const STATUS_DAMAGED = 2

export const checkTool: ToolRun = async (argv, output) => {
  const command = toolCommand('check', 'Verifies every page, count and journal record of a data folder.', output)
    .argument('<folder>', 'the data folder; a server may be using it')
    .option('--json', 'the report as JSON')
  if (!parsed(command, argv)) return 0
  const options = command.opts<{ json?: boolean }>()
  const report = await checkFolder(command.args[0], output, systemClock)
  if (options.json === true) output.out(`${JSON.stringify(asJson(report))}\n`)
  else printReport(report, output)
  return isWhole(report) ? 0 : STATUS_DAMAGED
}

export function isWhole({ store, journal }: FolderReport): boolean {
  return store.findings.length === 0 && journal.findings.length === 0
}

function printReport(report: FolderReport, output: ToolOutput): void {
  const { folder, inUse, store, journal } = report
  for (const finding of store.findings) output.out(`damaged: ${findingText(finding)}\n`)
  for (const what of journal.findings) output.out(`damaged: ${what}\n`)
  for (const what of journal.notes) output.out(`note: ${what}\n`)
  for (const what of store.waste) output.out(`unused: ${what}\n`)
  const state = isWhole(report) ? 'whole' : 'damaged'
  const checkpoint = `checkpoint ${store.position.checkpoints}: ${store.keys} keys, ${store.pages} pages`
  output.out(`${folder} is ${state} (${checkpoint}; ${journal.records} journal records behind it)\n`)
  if (inUse) output.out('A server is using it: this was the state of its last checkpoint, and the journal behind it.\n')
}

export function findingText({ database, key, what }: Finding): string {
  if (key === undefined) return what
  return `key ${quoted(key)} of ${database === undefined ? 'a flushed database' : `database ${database}`}: ${what}`
}

/** A name with what cannot be printed as escapes. */
export function quoted(name: string): string {
  const escape = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  return `"${name.replace(/["\\]/g, '\\$&').replace(/[^\x20-\x7e]/g, escape)}"`
}

function asJson(report: FolderReport): unknown {
  const { store, journal, ...rest } = report
  return { ...rest, whole: isWhole(report), ...store, journal }
}
