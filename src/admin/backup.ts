// `millrace backup` and `millrace restore`: a consistent copy of a data folder, and back. Backing up asks nothing of a
// running server and does not stop it; restoring verifies the copy first and makes a new folder.

import { systemClock } from '../base/clock.js'
import { UsageError } from '../base/errors.js'
import type { ToolOutput, ToolRun } from '../base/tool.js'
import { isWhole, STATUS_DAMAGED } from './check.js'
import { checkFolder } from './folder-check.js'
import { copyFolder } from './folder-copy.js'
import { parsed, toolCommand } from './tool-arguments.js'

interface Options {
  readonly json?: boolean
  readonly check?: boolean
}

export const backupTool: ToolRun = async (argv, output) => {
  const command = toolCommand('backup', 'Copies a data folder consistently; a server may be using it.', output)
    .argument('<folder>', 'the data folder')
    .argument('<target>', 'where the copy goes: a new folder')
    .option('--check', 'verifies the whole copy afterwards')
    .option('--json', 'the report as JSON')
  if (!parsed(command, argv)) return 0
  const [folder, target] = command.args
  const { check, json } = command.opts<Options>()
  const report = await copyFolder(folder, target, output, systemClock)
  const whole = check === true ? isWhole(await checkFolder(target, output, systemClock)) : undefined
  if (json === true) output.out(`${JSON.stringify({ folder, target, ...report, whole })}\n`)
  else {
    output.out(`${target}: ${report.storeBytes} bytes of the store, ${report.records} journal records behind it`)
    output.out(whole === undefined ? '\n' : whole ? '; verified\n' : '; damaged, see: millrace check\n')
  }
  return whole === false ? STATUS_DAMAGED : 0
}

export const restoreTool: ToolRun = async (argv, output) => {
  const command = toolCommand('restore', 'Makes a data folder out of a backup, which is verified first.', output)
    .argument('<backup>', 'what backup made')
    .argument('<folder>', 'the new data folder')
    .option('--no-check', 'does not verify the backup first')
  if (!parsed(command, argv)) return 0
  const [backup, folder] = command.args
  if (command.opts<Options>().check === true) await refuseDamaged(backup, output)
  const { storeBytes, records } = await copyFolder(backup, folder, output, systemClock)
  output.out(`${folder}: ${storeBytes} bytes of the store, ${records} journal records behind it\n`)
  return 0
}

async function refuseDamaged(backup: string, output: ToolOutput): Promise<void> {
  if (isWhole(await checkFolder(backup, output, systemClock))) return
  throw new UsageError(
    `The backup ${backup} is damaged: millrace check says where, and millrace check --repair makes a new folder of ` +
      'what is whole.',
  )
}
