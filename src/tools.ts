// The subcommands of the command line (`millrace check DIR`): one row each, loaded only when asked for, so that a
// server starts without them. A tool lives in admin/ or in its layer and exports a ToolRun. Used by: main.

/** Where a tool speaks: results to `out`, progress and complaints to `err`. Text comes with its own line ends. */
export interface ToolOutput {
  out(text: string): void
  err(text: string): void
}

/** Takes the words after the tool's name, answers the exit status. @throws UsageError as one sentence for the user */
export type ToolRun = (argv: readonly string[], output: ToolOutput) => Promise<number>

export interface Tool {
  /** For '--help', after the name: the arguments it takes. */
  readonly takes: string
  /** One line: what it does. */
  readonly summary: string
  readonly load: () => Promise<ToolRun>
}

/** By name. A word of this table as the first argument is the tool, never a configuration file of that name. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map<string, Tool>([])

/** The part of '--help' that lists the tools. */
export function toolsUsage(): string {
  const lines = [...TOOLS].flatMap(([name, tool]) => [`  millrace ${name} ${tool.takes}`, `      ${tool.summary}`])
  return lines.length === 0 ? '' : `\nTools:\n\n${lines.join('\n')}\n`
}
