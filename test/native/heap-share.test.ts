import t from 'tap'
import { addon } from '../../src/native/addon.js'
import { HeapShare } from '../../src/native/heap-share.js'

const MIB = 1 << 20

t.test('V8 is told what it must not count, in steps', async t => {
  const told: number[] = []
  const share = new HeapShare(bytes => told.push(bytes))
  share.held(MIB - 1)
  t.same(told, [], 'not worth a call')
  share.held(3 * MIB)
  share.held(3.5 * MIB)
  share.held(MIB)
  t.same(told, [-3 * MIB, 2 * MIB])
  share.end()
  share.end()
  t.same(told, [-3 * MIB, 2 * MIB, MIB], 'in the end it counts all again')
})

t.test('bytes that are held are none that V8 counts', async t => {
  const adjust = addon?.adjustExternalMemory
  if (adjust === undefined) return t.pass('the addon was not built')
  const buffer = Buffer.alloc(256 * MIB)
  const counted: number[] = []
  const share = new HeapShare(bytes => counted.push(adjust(bytes)))
  t.ok(adjust(0) >= buffer.length, 'V8 counts every buffer')
  share.held(buffer.length)
  share.end()
  t.ok(counted[0] < 128 * MIB, `${counted[0]} bytes`)
  t.ok(counted[1] >= buffer.length, `${counted[1]} bytes`)
})
