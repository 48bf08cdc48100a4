import t from 'tap'
import { TOOLS, toolsUsage } from '../src/tools.js'

t.test('every tool can be loaded and is listed', async t => {
  for (const [name, tool] of TOOLS) {
    t.type(await tool.load(), 'function', name)
    t.match(toolsUsage(), `  millrace ${name} ${tool.takes}\n      ${tool.summary}\n`)
  }
  t.equal(toolsUsage() === '', TOOLS.size === 0, 'the list stands only when there is something to list')
})
