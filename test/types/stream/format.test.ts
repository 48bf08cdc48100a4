import { readFileSync } from 'node:fs'
import t from 'tap'
import { ID_MIN } from '../../../src/base/stream-id.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { StoreObject } from '../../../src/store/row.js'
import { CONSUMER, CONSUMER_VERSION } from '../../../src/types/stream/consumer.js'
import { DROPPED_RANGE, DroppedReferences } from '../../../src/types/stream/dropped-references.js'
import { GroupContents } from '../../../src/types/stream/group-contents.js'
import { ConsumerGroup } from '../../../src/types/stream/group.js'
import { GROUP, GROUP_VERSION } from '../../../src/types/stream/group-row.js'
import type { GroupStream } from '../../../src/types/stream/group-stream.js'
import { IDEMPOTENCE } from '../../../src/types/stream/idempotence.js'
import { CLOSED_NODE } from '../../../src/types/stream/macro-nodes.js'
import { PEL_RECORD } from '../../../src/types/stream/pel-record.js'
import { IDEMPOTENT_ENTRY, PRODUCER, PRODUCER_VERSION } from '../../../src/types/stream/producer.js'
import { HEAD, HEAD_VERSION, OPEN_NODE } from '../../../src/types/stream/stream-head.js'

const text = readFileSync(new URL('../../../docs/format/stream.md', import.meta.url), 'utf8')

/** Rows of the table below a heading. */
function tableOf(heading: string): { offset: number; size: number | undefined; name: string; field: string }[] {
  const section = text.split(`\n## ${heading}\n`)[1].split('\n## ')[0]
  return section
    .split('\n')
    .filter(line => /^\| \d/.test(line))
    .map(line => {
      const [, offset, size, name, field] = line.split('|').map(cell => cell.trim())
      return { offset: Number(offset), size: size === '.' ? undefined : Number(size), name, field }
    })
}

const LAYOUTS: Record<string, { offsets: Record<string, number>; version?: number; bytes?: number }> = {
  Head: { offsets: HEAD, version: HEAD_VERSION },
  'Dropped references': { offsets: DROPPED_RANGE, bytes: DROPPED_RANGE.BYTES },
  'Open macro node': { offsets: OPEN_NODE },
  'Closed macro node': { offsets: CLOSED_NODE, bytes: CLOSED_NODE.PAYLOAD_BYTES },
  Group: { offsets: GROUP, version: GROUP_VERSION },
  Idempotence: { offsets: IDEMPOTENCE, bytes: IDEMPOTENCE.BYTES },
  Producer: { offsets: PRODUCER, version: PRODUCER_VERSION },
  'Known ID': { offsets: IDEMPOTENT_ENTRY, bytes: IDEMPOTENT_ENTRY.BYTES },
  Consumer: { offsets: CONSUMER, version: CONSUMER_VERSION },
  'PEL record': { offsets: PEL_RECORD, bytes: PEL_RECORD.BYTES },
}

for (const [heading, { offsets, version, bytes }] of Object.entries(LAYOUTS)) {
  t.test(`the drawing of "${heading}" is what the code does`, async t => {
    const rows = tableOf(heading)
    const named = Object.fromEntries(rows.filter(({ name }) => name !== '').map(({ name, offset }) => [name, offset]))
    const total = bytes === undefined ? {} : { [heading === 'Closed macro node' ? 'PAYLOAD_BYTES' : 'BYTES']: bytes }
    t.same({ ...named, ...total }, offsets)
    let at = 0
    for (const { offset, size } of rows) {
      t.equal(offset, at, 'no gaps')
      at += size ?? 0
    }
    if (bytes !== undefined) t.equal(at, bytes)
    if (version !== undefined) t.equal(rows[0].field, String(version))
  })
}

t.test('the example is what the code does', async t => {
  const hex = (word: string) => {
    const line = text.split('\n').find(candidate => candidate.startsWith(`${word} `)) ?? ''
    return line.slice(word.length).replaceAll(' ', '')
  }
  const stream = {
    rows: new MemoryRows(),
    object: new StoreObject(7),
    dropped: new DroppedReferences(),
  } as unknown as GroupStream
  const group = new ConsumerGroup(stream, new GroupContents(stream.rows, new StoreObject(9)), 'g', ID_MIN, 0)
  t.equal(group.rowKey().toString('hex'), hex('key'))
  t.equal(group.encodeRow().toString('hex'), hex('value'))
})
