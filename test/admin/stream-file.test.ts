import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { SECTION, StreamFileWriter } from '../../src/admin/stream-file.js'
import { dumpStreamTool } from '../../src/admin/stream-dump.js'
import { startInProcess } from '../support/in-process.js'
import { tempDir } from '../support/temp-dir.js'
import { runTool } from './tool-run.js'

t.test('the example of the drawing is what is written', async t => {
  const page = readFileSync(new URL('../../docs/format/stream-file.md', import.meta.url), 'utf8')
  const block = /## Example[\s\S]*?```\n([\s\S]*?)```/.exec(page)![1]
  const drawn = block
    .split('\n')
    .filter(line => line !== '')
    .map(line =>
      line
        .replace(/ {3}.*/, '')
        .replace(/(\. ?){4}/, '........')
        .replaceAll(' ', ''),
    )
  const folder = tempDir(t)
  const { server, connect } = await startInProcess(t, folder)
  const client = await connect()
  await client.text('XADD', 's', '1-0', 'f', 'v')
  await client.text('SAVE')
  const file = join(tempDir(t), 'file')
  await runTool(dumpStreamTool, folder, 's', file)
  const written = readFileSync(file).toString('hex')
  t.match(written, new RegExp(`^${drawn.join('')}$`))
  await server.close({ save: false })
})

t.test('kinds are frozen', async t => {
  t.same(Object.values(SECTION), ['S', 'D', 'E', 'G', 'C', 'P', 'Z'])
  const path = join(tempDir(t), 'file')
  new StreamFileWriter(path).abandon()
  t.throws(
    () => new StreamFileWriter(path),
    { name: 'UsageError', message: /cannot be made/ },
    'nothing is overwritten',
  )
})
