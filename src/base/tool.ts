// What a subcommand of the command line is: `millrace check DIR` and its like. The table of them is tools.ts.

/** Where a tool speaks: results to `out`, progress and complaints to `err`. Text comes with its own line ends. */
export interface ToolOutput {
  out(text: string): void
  err(text: string): void
}

/** Takes the words after the tool's name, answers the exit status. @throws UsageError as one sentence for the user */
export type ToolRun = (argv: readonly string[], output: ToolOutput) => Promise<number>
