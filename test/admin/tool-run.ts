// Runs a tool inside the test and keeps what it says.

import type { ToolRun } from '../../src/base/tool.js'

export interface ToolResult {
  readonly status: number
  readonly out: string
  readonly err: string
}

export async function runTool(tool: ToolRun, ...argv: string[]): Promise<ToolResult> {
  const said = { out: '', err: '' }
  const status = await tool(argv, {
    out: text => void (said.out += text),
    err: text => void (said.err += text),
  })
  return { status, ...said }
}
