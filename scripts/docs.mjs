// npm run docs: writes the generated documents anew from the sources. test/tidy.test.ts fails while they are stale.

import { writeFileSync } from 'node:fs'
import { register } from 'tsx/esm/api'

register()
const { commandsDocument } = await import('./documents/commands.ts')
const { configurationDocument } = await import('./documents/configuration.ts')

const DOCUMENTS = { 'commands.md': commandsDocument, 'configuration.md': configurationDocument }

for (const [name, render] of Object.entries(DOCUMENTS)) {
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), render())
  process.stdout.write(`docs/${name}\n`)
}
