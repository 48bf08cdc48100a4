import { readFileSync } from 'node:fs'
import t from 'tap'
import { RECORD } from '../../src/native/journal-write.js'
import { EFFECT, readRecord, recordBytesAt } from '../../src/store/journal-record.js'
import { SEGMENT, SEGMENT_MAGIC, SEGMENT_VERSION } from '../../src/store/journal-segment.js'
import { RetiredKind } from '../../src/store/retirement.js'
import { decodePosition, encodePosition, POSITION } from '../../src/store/store-position.js'
import { SYNC_MARK, SYNC_MARK_MAGIC, SYNC_MARK_VERSION } from '../../src/store/sync-mark.js'
import { TABLE_NAMES } from '../../src/store/table-name.js'

/** The rows of the table under a heading, as arrays of cells. */
function tableUnder(page: string, heading: string): string[][] {
  const text = readFileSync(new URL(`../../docs/format/${page}`, import.meta.url), 'utf8')
  const section = text.split(/^## /m).find(part => part.startsWith(`${heading}\n`)) ?? ''
  const rows = section.split('\n').filter(line => line.startsWith('|'))
  return rows.slice(2).map(line =>
    line
      .split('|')
      .slice(1, -1)
      .map(cell => cell.trim()),
  )
}

/** The bytes of the example under a heading: hexadecimal pairs on each line, up to two spaces. */
function exampleUnder(page: string, heading: string): Buffer {
  const text = readFileSync(new URL(`../../docs/format/${page}`, import.meta.url), 'utf8')
  const section = text.split(/^## /m).find(part => part.startsWith(`${heading}\n`)) ?? ''
  const lines = (section.split('```')[1] ?? '').split('\n')
  return Buffer.from(lines.map(line => line.split('  ')[0].replaceAll(' ', '')).join(''), 'hex')
}

function offsets(page: string, heading: string): Record<string, number> {
  const rows = tableUnder(page, heading)
  for (const [i, [offset, size, name]] of rows.entries()) {
    if (i + 1 < rows.length)
      t.equal(Number(offset) + Number(size), Number(rows[i + 1][0]), `${heading}: ${name} is followed`)
  }
  return Object.fromEntries(rows.map(([offset, , name]) => [name, Number(offset)]))
}

t.test('the drawings of the journal are those the code uses', async t => {
  t.same(offsets('journal.md', 'Segment'), SEGMENT)
  t.same(offsets('journal.md', 'Record'), RECORD)
  t.same(offsets('journal.md', 'Effect'), EFFECT)
  const [magic, version] = tableUnder('journal.md', 'Segment')
  t.equal(magic[3], `\`${SEGMENT_MAGIC}\``)
  t.equal(Number(version[3]), SEGMENT_VERSION)
  t.same(offsets('journal.md', 'The file SYNCED'), SYNC_MARK)
  const [markMagic, markVersion] = tableUnder('journal.md', 'The file SYNCED')
  t.equal(markMagic[3], `\`${SYNC_MARK_MAGIC}\``)
  t.equal(Number(markVersion[3]), SYNC_MARK_VERSION)
})

t.test('the example of a record is one', async t => {
  const bytes = exampleUnder('journal.md', 'Worked example')
  t.equal(recordBytesAt(bytes, 0), bytes.length)
  t.same(readRecord(bytes, 0, bytes.length), {
    sequence: 1,
    nowMs: 1_700_000_000_000,
    effects: [{ database: 2, bytes: Buffer.from('*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n') }],
  })
})

t.test('the tables of the store are those the code uses', async t => {
  t.same(
    tableUnder('store.md', 'Tables').map(([number, name]) => [Number(number), name]),
    [...TABLE_NAMES.entries()],
  )
  t.same(offsets('store.md', 'The row `store` of meta'), POSITION)
  t.same(
    tableUnder('store.md', 'Retired rows').map(([value, name]) => [Number(value), name]),
    [
      [RetiredKind.Object, 'Object'],
      [RetiredKind.Tree, 'Tree'],
    ],
  )
})

t.test('the example of the row store is one', async t => {
  const bytes = exampleUnder('store.md', 'The row `store` of meta')
  const position = { sequence: 1001, nextId: 42, checkpoints: 3 }
  t.same(decodePosition(bytes), position)
  t.same(encodePosition(position), bytes)
  t.throws(() => decodePosition(Buffer.from([0, 0, 0, 9])), /has format version 9; this program reads version 1/)
})
