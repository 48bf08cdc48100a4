import t from 'tap'
import { diagnosis } from '../../src/commands/memory-doctor.js'
import type { DoctorFigures } from '../../src/commands/memory-doctor.js'

const MIB = 1 << 20
const WELL: DoctorFigures = {
  usedBytes: 500 * MIB,
  maxmemory: 1000 * MIB,
  rssBytes: 700 * MIB,
  baseBytes: 60 * MIB,
  clientsBytes: MIB,
  clients: 10,
  luaBytes: MIB,
  cachedBytes: 250 * MIB,
  cacheBytesMax: 256 * MIB,
  coldReads: 1000,
  lookups: 1_000_000,
  pinnedBytes: 0,
  dirtyBytes: 100 * MIB,
  dirtyBytesDue: 512 * MIB,
  checkpointOk: true,
  writeFault: undefined,
  journalBytes: 100 * MIB,
  journalBytesDue: 1024 * MIB,
  retiredObjects: 5,
  fileBytes: 4000 * MIB,
  reclaimableBytes: 400 * MIB,
  damagedPieces: 0,
}

t.test('of a server that is well nothing is said but its figures', async t => {
  t.equal(diagnosis(WELL), 'Nothing stands out: 500.00M in use, 700.00M resident, 250.00M of 256.00M page cache.\n')
  const small = { usedBytes: 1000, clientsBytes: 900, rssBytes: 60 * MIB, fileBytes: 8192, reclaimableBytes: 8000 }
  t.match(diagnosis({ ...WELL, ...small }), /^Nothing stands out/, 'shares of little are worth no word')
})

const TROUBLES: readonly [Partial<DoctorFigures>, RegExp][] = [
  [{ writeFault: 'MISCONF no room' }, /Writes are refused: MISCONF no room\. Reads go on/],
  [{ damagedPieces: 3 }, /3 damaged rows were met\. 'millrace check'/],
  [
    { checkpointOk: false },
    /The last checkpoint failed: 100\.00M of changes stay in memory and 100\.00M in the journal/,
  ],
  [{ usedBytes: 990 * MIB }, /990\.00M of 1000\.00M \(maxmemory\) are in use/],
  [
    { dirtyBytes: 1100 * MIB },
    /1\.07G of changes wait for a checkpoint that checkpoint-dirty-bytes begins at 512\.00M/,
  ],
  [{ journalBytes: 2100 * MIB }, /The journal has 2\.05G/],
  [{ coldReads: 400_000 }, /400000 reads of the disk for 1000000 look-ups.*More page-cache-bytes would help/],
  [{ clientsBytes: 200 * MIB }, /10 clients hold 200\.00M \(40 % of what is in use\).*maxmemory-clients/],
  [{ pinnedBytes: 100 * MIB }, /Long replies to slow readers hold 100\.00M.*reply-stall-timeout/],
  [{ luaBytes: 100 * MIB }, /Lua holds 100\.00M: SCRIPT FLUSH/],
  [{ rssBytes: 1300 * MIB }, /1\.27G are resident for 500\.00M in use/],
  [{ retiredObjects: 200_000 }, /200000 dropped objects are still being deleted/],
  [{ reclaimableBytes: 3000 * MIB }, /75 % of the store's file \(2\.93G\) are free pages/],
]

t.test('each trouble has its sentence, with what would help, and no other', async t => {
  for (const [trouble, sentence] of TROUBLES) {
    const words = diagnosis({ ...WELL, ...trouble })
    t.match(words, sentence)
    t.equal(words.match(/^\* /gm)?.length, 1, JSON.stringify(trouble))
  }
  const all = diagnosis({ ...WELL, damagedPieces: 1, luaBytes: 100 * MIB, writeFault: 'MISCONF x' })
  t.match(all, /^\* Writes [^\n]*\n\* 1 damaged [^\n]*\n\* Lua [^\n]*\n$/, 'the gravest comes first')
})

t.test('limits that are off are never passed', async t => {
  const off = { maxmemory: 0, dirtyBytesDue: 0, journalBytesDue: 0, dirtyBytes: 5000 * MIB, journalBytes: 5000 * MIB }
  t.match(diagnosis({ ...WELL, ...off }), /^Nothing stands out/)
})
