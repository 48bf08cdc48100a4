import t from 'tap'
import { MemoryRows } from '../../../src/store/memory-rows.js'
import { SetValue } from '../../../src/types/set/set-value.js'
import { Seeded } from '../../support/seeded.js'

const INTEGERS_MAX = 512

function membersOf(set: SetValue): string[] {
  const members: string[] = []
  set.each(member => void members.push(member))
  return members
}

t.test('integers are kept in order, as an intset, whatever their size', async t => {
  const set = SetValue.create(new MemoryRows())
  for (const member of ['5', '-3', '9223372036854775807', '0', '-9223372036854775808', '9007199254740993', '5']) {
    set.add(member, INTEGERS_MAX)
  }
  t.equal(set.encoding, 'intset')
  t.same(membersOf(set), ['-9223372036854775808', '-3', '0', '5', '9007199254740993', '9223372036854775807'])
  t.ok(set.has('9007199254740993'))
  t.notOk(set.has('9007199254740992'))
  t.ok(set.remove('9007199254740993'))
  t.notOk(set.remove('9007199254740993'))
  t.equal(set.at(0), '-9223372036854775808')
})

t.test('what only looks like an integer makes a hashtable for good', async t => {
  for (const odd of ['-0', '01', '+1', ' 1', '1.0', '', '9223372036854775808', 'x', '-', '1e3']) {
    const set = SetValue.create(new MemoryRows())
    set.add('1', INTEGERS_MAX)
    set.add(odd, INTEGERS_MAX)
    t.equal(set.encoding, 'hashtable', JSON.stringify(odd))
    t.ok(set.has(odd))
    t.ok(set.has('1'))
    set.remove(odd)
    t.equal(set.encoding, 'hashtable')
  }
})

t.test('one integer more than set-max-intset-entries makes a hashtable', async t => {
  const set = SetValue.create(new MemoryRows())
  for (let i = 0; i < 3; i++) set.add(String(i), 3)
  t.equal(set.encoding, 'intset')
  set.add('3', 3)
  t.equal(set.encoding, 'hashtable')
  t.same(membersOf(set).sort(), ['0', '1', '2', '3'])
})

t.test('sets of every size equal a model through flushes, evictions, reloads and copies', async t => {
  const rng = new Seeded(Number(process.env.SEED ?? 20261130))
  t.comment(`SEED=${rng.seed}`)
  for (const [universe, make] of [
    [300, (i: number) => String(i * 7 - 500)],
    [100, (i: number) => `member-${i}`],
    [5000, (i: number) => `member-${i}`],
    [40, (i: number) => `${i}-${'x'.repeat(i * 90)}`],
  ] as const) {
    const rows = new MemoryRows(1024)
    let set = SetValue.create(rows)
    const model = new Set<string>()
    for (let step = 0; step < 3000; step++) {
      const member = make(rng.below(universe))
      if (rng.chance(0.65)) {
        t.equal(set.add(member, INTEGERS_MAX), !model.has(member))
        model.add(member)
      } else {
        t.equal(set.remove(member), model.delete(member))
      }
      if (rng.chance(0.004)) {
        rows.flushAndEvict()
        if (rng.chance(0.5)) set = SetValue.stored(rows, set.object.id)
      }
      if (rng.chance(0.002)) {
        const twin = set.copy()
        set.drop()
        set = twin
      }
    }
    t.equal(set.count, model.size)
    t.same(membersOf(set).sort(), [...model].sort())
    for (const member of model) if (!set.has(member)) t.fail(`lost ${member}`)
    rows.flush()
    rows.verifyClean([set])
  }
})

t.test('a scan meets every member that stays, whatever comes and goes meanwhile', async t => {
  const set = SetValue.create(new MemoryRows())
  for (let i = 0; i < 2000; i++) set.add(`stays-${i}`, INTEGERS_MAX)
  for (let i = 0; i < 2000; i++) set.add(`goes-${i}`, INTEGERS_MAX)
  const seen: string[] = []
  let cursor = 0
  let calls = 0
  do {
    cursor = set.scan(cursor, 50, member => void seen.push(member))
    for (let i = 0; i < 40; i++) set.remove(`goes-${calls * 40 + i}`)
    for (let i = 0; i < 40; i++) set.add(`comes-${calls}-${i}`, INTEGERS_MAX)
    calls++
  } while (cursor !== 0)
  t.ok(calls > 20)
  t.equal(new Set(seen).size, seen.length, 'nothing is given twice')
  t.equal(seen.filter(member => member.startsWith('stays')).length, 2000)
  t.equal(
    set.scan(2 ** 60, 10, () => t.fail('there is nothing behind the end')),
    0,
  )
})

t.test('ranks name every member once', async t => {
  const set = SetValue.create(new MemoryRows())
  for (let i = 0; i < 3000; i++) set.add(`m${i}`, INTEGERS_MAX)
  const ranks = Array.from({ length: 3000 }, (_, i) => i)
  t.equal(new Set(set.atRanks(ranks)).size, 3000)
})

t.test('dropping a large set leaves nothing in the store', async t => {
  const rows = new MemoryRows()
  const set = SetValue.create(rows)
  for (let i = 0; i < 5000; i++) set.add(`m${i}`, INTEGERS_MAX)
  rows.flush()
  t.ok(rows.rowCount(4) > 5)
  set.drop()
  rows.flush()
  t.equal(rows.rowCount(4), 0)
  t.equal(rows.rowCount(2), 0)
})

t.test('a damaged head is refused by name', async t => {
  const rows = new MemoryRows()
  const set = SetValue.create(rows)
  set.add('1', INTEGERS_MAX)
  t.same(set.encodeRow(), Buffer.from([1, 3, 0, 0, 0, 0, 0, 0, 0, 1]))
  t.throws(() => SetValue.stored(rows, 99).count, { message: 'head of set 99 is missing' })
})
