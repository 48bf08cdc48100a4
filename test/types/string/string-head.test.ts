import { readFileSync } from 'node:fs'
import t from 'tap'
import { CorruptionError } from '../../../src/base/errors.js'
import { checkedPiece, decodeStringHead, encodeStringHead, STRING_HEAD } from '../../../src/types/string/string-head.js'

const SHAPE = { length: 1_000_000, pieceBytes: 65_472, treeId: 258 }
const document = readFileSync(new URL('../../../docs/format/string.md', import.meta.url), 'utf8')

t.test('the head is as its drawing says', async t => {
  const drawn = Array.from(document.matchAll(/^\| (\d+) \| \S+ \| ([A-Z_]+) \|/gm), ([, at, name]) => [
    name,
    Number(at),
  ])
  t.same(Object.fromEntries(drawn), STRING_HEAD)
  const example = /```\n([0-9a-f ]+)\n```/.exec(document)![1].replaceAll(' ', '')
  t.equal(encodeStringHead(SHAPE).toString('hex'), example)
  t.same(decodeStringHead(Buffer.from(example, 'hex'), 1), SHAPE)
})

t.test('a head that is missing, of another length or version, or of nothing is refused', async t => {
  const changed = (at: number, value: number, bytes = 1) => {
    const row = encodeStringHead(SHAPE)
    row.writeUIntBE(value, at, bytes)
    return row
  }
  const bad = [
    undefined,
    encodeStringHead(SHAPE).subarray(1),
    Buffer.concat([encodeStringHead(SHAPE), Buffer.alloc(1)]),
    changed(STRING_HEAD.VERSION, 2),
    changed(STRING_HEAD.PIECE_BYTES, 0, 4),
    changed(STRING_HEAD.LENGTH, 0, 6),
  ]
  for (const row of bad) t.throws(() => decodeStringHead(row, 7), CorruptionError)
  t.throws(() => decodeStringHead(undefined, 7), { message: 'head of string 7 is missing' })
})

t.test('a piece has the length that its number gives it', async t => {
  const last = Math.floor(SHAPE.length / SHAPE.pieceBytes)
  for (const [number, length] of [
    [0, SHAPE.pieceBytes],
    [last, SHAPE.length % SHAPE.pieceBytes],
  ]) {
    const row = Buffer.alloc(length)
    t.equal(checkedPiece(row, SHAPE, number), row)
    t.throws(() => checkedPiece(Buffer.alloc(length - 1), SHAPE, number), CorruptionError)
    t.throws(() => checkedPiece(Buffer.alloc(length + 1), SHAPE, number), CorruptionError)
    t.throws(() => checkedPiece(undefined, SHAPE, number), CorruptionError)
  }
})
