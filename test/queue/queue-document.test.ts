// The program that docs/queue.md begins with does what it says.

import t from 'tap'
import { runProgramOf } from '../support/document-program.js'
import { startServer } from '../support/start-server.js'

t.test('the program of docs/queue.md runs as it stands', async t => {
  const server = await startServer()
  t.teardown(async () => void (await server.stop()))
  const { stdout, lines } = await runProgramOf('docs/queue.md', [String(server.port)])
  for (const name of ['ann', 'bob', 'cat']) t.match(stdout, `a mail to ${name}\n`)
  t.match(stdout, 'confirmed: 3')
  t.ok(lines <= 25, `it has ${lines} lines`)
})
