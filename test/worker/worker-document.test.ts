// The program that docs/worker.md begins with does what it says.

import t from 'tap'
import { runProgramOf } from '../support/document-program.js'
import { startServer } from '../support/start-server.js'

t.test('the program of docs/worker.md runs as it stands', async t => {
  const server = await startServer()
  t.teardown(async () => void (await server.stop()))
  const { stdout, lines } = await runProgramOf('docs/worker.md', [String(server.port)])
  for (const image of ['a.png', 'b.png', 'c.png']) t.match(stdout, `resizing ${image}\n`)
  t.match(stdout, 'a.png: { width: 200 }')
  t.ok(lines <= 27, `it has ${lines} lines`)
})
