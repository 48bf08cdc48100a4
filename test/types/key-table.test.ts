import t from 'tap'
import { KeyEntry } from '../../src/types/key-entry.js'
import { hashName, KeyTable, reverseBits } from '../../src/types/key-table.js'
import { Slot } from '../../src/types/slot.js'
import { stringType } from '../../src/types/string/string-value.js'
import { MemoryRows } from '../../src/store/memory-rows.js'
import { seeded } from '../support/seeded.js'

const slot = new Slot(0, new MemoryRows())
const entryOf = (name: string) => new KeyEntry(slot, name, stringType, 1)

t.test('agrees with a Map through growing and shrinking', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const table = new KeyTable()
  const model = new Map<string, KeyEntry>()
  for (const growth of [0.9, 0.5, 0.1, 0.8]) {
    for (let step = 0; step < 3000; step++) {
      const name = `k${random.below(4000)}`
      const present = model.get(name)
      if (random.chance(growth) && present === undefined) {
        const entry = entryOf(name)
        table.insert(entry)
        model.set(name, entry)
      } else if (!random.chance(growth) && present !== undefined) {
        table.remove(present)
        model.delete(name)
      }
    }
    t.equal(table.size, model.size)
    t.same([...table.entries()].map(entry => entry.name).sort(), [...model.keys()].sort())
    let wrong = 0
    for (let i = 0; i < 4000; i++) if (table.find(`k${i}`) !== model.get(`k${i}`)) wrong++
    t.equal(wrong, 0, 'every name is found, or is not there')
  }
})

t.test('a scan meets every key that stays, whatever comes and goes meanwhile', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  for (let round = 0; round < 30; round++) {
    const table = new KeyTable()
    const others: KeyEntry[] = []
    const staying = new Set<string>()
    for (let i = 0; i < 200; i++) {
      table.insert(entryOf(`stay${i}`))
      staying.add(`stay${i}`)
    }
    let added = 0
    let cursor = 0
    const met = new Set<string>()
    const mood = random.pick([0.95, 0.5, 0.05])
    for (let i = 0; i < 1500; i++) table.insert(others[others.push(entryOf(`other${added++}`)) - 1])
    do {
      const out: KeyEntry[] = []
      cursor = table.scan(cursor, random.between(5, 30), out)
      for (const entry of out) met.add(entry.name)
      // Fewer than the scan passes: against faster growth no scan comes to its end.
      for (let i = 0; i < 5; i++) {
        if (random.chance(mood)) table.insert(others[others.push(entryOf(`other${added++}`)) - 1])
        else if (others.length > 0) table.remove(others.pop()!)
      }
    } while (cursor !== 0 && added < 100_000)
    t.equal(cursor, 0, 'the scan ends')
    t.same(
      [...staying].filter(name => !met.has(name)),
      [],
    )
  }
})

t.test('without changes a scan gives every key once, in steps of about the size asked for', async t => {
  const table = new KeyTable()
  for (let i = 0; i < 1000; i++) table.insert(entryOf(`k${i}`))
  const names: string[] = []
  let cursor = 0
  do {
    const out: KeyEntry[] = []
    cursor = table.scan(cursor, 10, out)
    t.ok(out.length < 40)
    names.push(...out.map(entry => entry.name))
  } while (cursor !== 0)
  t.equal(names.length, 1000)
  t.equal(new Set(names).size, 1000)
})

t.test('random picks reach every key about equally often', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const table = new KeyTable()
  t.equal(
    table.random(() => 0.5),
    undefined,
  )
  for (let i = 0; i < 50; i++) table.insert(entryOf(`k${i}`))
  const counts = new Map<string, number>()
  for (let i = 0; i < 20_000; i++) {
    const name = table.random(() => random.fraction())!.name
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  t.equal(counts.size, 50)
  for (const count of counts.values()) t.ok(count > 250 && count < 600, `${count} is near 400`)
})

t.test('hashes and bit reversal', async t => {
  t.equal(hashName('abc'), hashName('abc'))
  t.not(hashName('abc'), hashName('abd'))
  t.equal(reverseBits(1), 0x80000000)
  t.equal(reverseBits(-1), 0xffffffff)
  t.equal(reverseBits(reverseBits(0x12345678)), 0x12345678)
})

t.test('names are found by their bytes, those in an overflow too, and not once their key is gone', async t => {
  const random = seeded()
  t.comment(`SEED=${random.seed}`)
  const table = new KeyTable()
  const entries = new Map<string, KeyEntry>()
  for (let i = 0; i < 5000; i++) {
    const name = random.bytes(random.between(0, 6)).latin1Slice()
    if (entries.has(name)) continue
    const entry = entryOf(name)
    entries.set(name, entry)
    table.insert(entry)
  }
  const nameOf = (name: string) => table.nameOf(Buffer.from(`<${name}>`, 'latin1'), 1, name.length)
  let wrong = 0
  for (const [name, entry] of entries) if (nameOf(name) !== entry.name || table.find(name) !== entry) wrong++
  t.equal(wrong, 0)
  t.equal(nameOf('not there'), undefined)
  for (const [name, entry] of entries) {
    nameOf(name)
    table.remove(entry)
    if (nameOf(name) !== undefined || table.find(name) !== undefined) wrong++
  }
  t.equal(wrong, 0)
  t.equal(table.size, 0)
})
