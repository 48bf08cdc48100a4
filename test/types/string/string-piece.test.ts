import t from 'tap'
import { DirtyRows } from '../../../src/store/dirty-rows.js'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import type { Row } from '../../../src/store/row.js'
import { StoreObject } from '../../../src/store/row.js'
import { PIECE_OBJECT_BYTES, StringPiece } from '../../../src/types/string/string-piece.js'
import type { PieceOwner } from '../../../src/types/string/string-piece.js'
import { StringValue } from '../../../src/types/string/string-value.js'

/** Rows whose changes are seen by checkpoints as the real store's are. */
class CutRows extends MemoryRows {
  readonly dirty = new DirtyRows()
  override touch(row: Row): void {
    this.dirty.touch(row)
  }
  override touchNew(row: Row): void {
    this.dirty.touchNew(row)
  }
}

function ownerIn(rows: MemoryRows): PieceOwner & { gone: StringPiece[] } {
  const gone: StringPiece[] = []
  return { rows, object: new StoreObject(1), treeId: 2, gone, evicted: piece => void gone.push(piece) }
}

t.test('a change while a checkpoint has still to write the row is not in the checkpoint', async t => {
  const rows = new CutRows()
  const owner = ownerIn(rows)
  const before = Buffer.alloc(2000, 'a')
  const changes: [string, (rows: CutRows) => { row: Row; change: () => void }][] = [
    [
      'a piece',
      rows => {
        const row = StringPiece.create({ ...owner, rows }, 0, Buffer.from(before), false)
        return {
          row,
          change() {
            row.touch()
            row.writable().fill('b')
          },
        }
      },
    ],
    [
      'a whole string, one bit of it',
      rows => {
        const row = StringValue.create(rows, Buffer.from(before))
        return { row, change: () => void row.setBit(6, 1) }
      },
    ],
    [
      'a whole string, a range of it',
      rows => {
        const row = StringValue.create(rows, Buffer.from(before))
        return { row, change: () => void row.overwrite(10, Buffer.from('new')) }
      },
    ],
  ]
  for (const [name, make] of changes) {
    const rows = new CutRows()
    const { row, change } = make(rows)
    const cut = rows.dirty.cut()
    change()
    change()
    const written: Buffer[] = []
    while (!cut.allEncoded) cut.encodeNext((_row, image) => written.push(Buffer.from(image as Buffer)))
    t.ok(written.length === 1 && written[0].equals(before), name)
    t.notOk(row.encodeRow().equals(before))
  }
})

t.test('bytes behind the end belong to one piece: two that share the bytes before do not meet', async t => {
  const owner = ownerIn(new MemoryRows())
  const piece = StringPiece.create(owner, 0, Buffer.from('abc'), false)
  piece.touch()
  piece.extend(2, 16).set(Buffer.from('de'))
  const twin = StringPiece.create(owner, 1, piece.lend(), true)
  twin.touch()
  twin.extend(2, 16).set(Buffer.from('XY'))
  const lent = piece.lend()
  piece.extend(2, 16).set(Buffer.from('fg'))
  t.equal(piece.content.buffer, lent.buffer, 'into the room that was made')
  t.same([piece.content, twin.content, lent].map(String), ['abcdefg', 'abcdeXY', 'abcde'])
  piece.writable()[0] = 65
  t.same([piece.content, lent].map(String), ['Abcdefg', 'abcde'])
})

t.test('the cache knows of each byte once, from the first to the last', async t => {
  const rows = new MemoryRows()
  const owner = ownerIn(rows)
  const held = () => [rows.cache.heldBytes, rows.cache.bytesUsed]
  const piece = StringPiece.create(owner, 0, Buffer.alloc(100), false)
  t.same(held(), [PIECE_OBJECT_BYTES + 100, 0])
  piece.touch()
  piece.extend(20, 400)
  t.same(held(), [PIECE_OBJECT_BYTES + 120, 0])
  rows.flush()
  t.same(held(), [0, PIECE_OBJECT_BYTES + 120])
  piece.touch()
  piece.replace(Buffer.alloc(50))
  t.same(held(), [0, PIECE_OBJECT_BYTES + 50], 'still an item, if a dirty one')
  t.notOk(piece.evict())
  rows.flushAndEvict()
  t.same(owner.gone, [piece])
  t.same(held(), [0, 0])
  piece.touch()
  t.same(held(), [PIECE_OBJECT_BYTES + 50, 0], 'used again after it was taken back')
  piece.release()
  t.same(held(), [0, 0])
})
