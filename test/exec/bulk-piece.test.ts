import t from 'tap'
import { BulkPiece } from '../../src/exec/bulk-piece.js'

function text(piece: BulkPiece): string {
  return piece.bytes.toString('latin1', 0, piece.length)
}

t.test('bulk strings stand one behind the other, whatever they were made from', async t => {
  const piece = new BulkPiece()
  piece.add('1700000000000-0')
  piece.add(-12)
  piece.add(Buffer.from([0xff, 13, 10]))
  piece.addId({ msHi: 0, msLo: 12, seqHi: 0xffffffff, seqLo: 0xffffffff })
  piece.add('')
  piece.add('\xe9'.repeat(60))
  const id = '$23\r\n12-18446744073709551615\r\n'
  const long = `$60\r\n${'\xe9'.repeat(60)}\r\n`
  t.equal(text(piece), `$15\r\n1700000000000-0\r\n$3\r\n-12\r\n$3\r\n\xff\r\n\r\n${id}$0\r\n\r\n${long}`)
})

t.test('it grows as it must, keeps what it has, and can be used again', async t => {
  const piece = new BulkPiece()
  const values = [10, 200, 255, 256, 5000].map(length => 'x'.repeat(length))
  for (const value of values) piece.add(value)
  t.equal(text(piece), values.map(value => `$${value.length}\r\n${value}\r\n`).join(''))
  piece.clear()
  piece.add('a')
  t.equal(text(piece), '$1\r\na\r\n')
})
