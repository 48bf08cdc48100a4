// The words after a tool's name, read by commander; what is wrong with them becomes one sentence. Used by: every tool.

import { Command, CommanderError } from 'commander'
import { UsageError } from '../base/errors.js'
import type { ToolOutput } from '../base/tool.js'

/** A tool's own command line; arguments and options are added by the tool. */
export function toolCommand(name: string, summary: string, output: ToolOutput): Command {
  return new Command(`millrace ${name}`)
    .description(summary)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: text => output.out(text), writeErr: () => undefined })
}

/** Reads `argv`; false when help was asked for and printed. @throws UsageError */
export function parsed(command: Command, argv: readonly string[]): boolean {
  try {
    command.parse(argv, { from: 'user' })
    return true
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return false
    const complaint = error.message.replace(/^error: /, '').replace(/\.?$/, '.')
    throw new UsageError(`${command.name().replace('millrace ', '')}: ${complaint} See: ${command.name()} --help`)
  }
}
