// `millrace check`: verifies a data folder and says what is wrong, by key. Exit status 0 when it is whole, 2 when not.

import { systemClock } from '../base/clock.js'
import type { ToolOutput, ToolRun } from '../base/tool.js'
import { findingText } from './finding-text.js'
import { checkFolder } from './folder-check.js'
import type { FolderReport } from './folder-check.js'
import { parsed, toolCommand } from './tool-arguments.js'

export const STATUS_DAMAGED = 2

export const checkTool: ToolRun = async (argv, output) => {
  const command = toolCommand('check', 'Verifies every page, count and journal record of a data folder.', output)
    .argument('<folder>', 'the data folder; a server may be using it')
    .option('--json', 'the report as JSON')
    .option('--repair <new folder>', 'saves what is whole into a new folder; the damaged one stays as it is')
  if (!parsed(command, argv)) return 0
  const options = command.opts<{ json?: boolean; repair?: string }>()
  const report = await checkFolder(command.args[0], output, systemClock)
  if (options.json === true) output.out(`${JSON.stringify(asJson(report))}\n`)
  else printReport(report, output)
  if (options.repair === undefined) return isWhole(report) ? 0 : STATUS_DAMAGED
  const { repairFolder } = await import('./repair.js')
  for (const what of await repairFolder(command.args[0], options.repair, output, systemClock)) output.out(`${what}\n`)
  output.out(`${options.repair} holds what is whole of ${command.args[0]}\n`)
  return 0
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

function asJson(report: FolderReport): unknown {
  const { store, journal, ...rest } = report
  const { findings, waste, position, keys, pages } = store
  const shown = findings.map(({ database, key, what }) => ({ database, key, what }))
  return { ...rest, whole: isWhole(report), findings: shown, waste, position, keys, pages, journal }
}
