// Random commands to a server on cold data and to one that has all in memory: equal replies. A page cache that holds
// next to nothing and checkpoints one after the other see to it that much of what commands need is read from the
// store, off the main thread. DIFF_COUNT as in differential.test.

import t from 'tap'
import { startInProcess } from '../support/in-process.js'
import { seeded, Seeded } from '../support/seeded.js'
import { tempDir } from '../support/temp-dir.js'
import { Generator } from './generator.js'
import { listing, Pair } from './pair.js'

const COUNT = Number(process.env.DIFF_COUNT ?? 2500)
const RUN = 1250

t.test('replies out of cold data equal those out of memory', async t => {
  const warm = await startInProcess(t, tempDir(t))
  const cold = await startInProcess(t, tempDir(t), { pageCacheBytes: 4096, stringRowMaxBytes: 64 })
  const rng = seeded()
  t.comment(`SEED=${rng.seed}`)
  const pair = await Pair.connect(warm.port, cold.port, 3)
  t.teardown(() => pair.close())
  let over = false
  const checkpoints = (async () => {
    while (!over) {
      await cold.server.durability.checkpoint()
      await new Promise(resolve => setTimeout(resolve, 1))
    }
  })()
  for (let done = 0; done < COUNT; done += RUN) {
    const runSeed = rng.below(2 ** 31)
    const generator = new Generator(new Seeded(runSeed))
    const commands = Array.from({ length: RUN }, () => generator.next())
    const found = await pair.run(commands)
    if (found) {
      const last = listing(commands.slice(Math.max(found.at - 5, 0), found.at + 1))
      t.fail(
        `SEED=${rng.seed}, run seed ${runSeed}, up to command ${found.at}:\n${last}\n` +
          `warm: ${found.reference}\ncold: ${found.ours}`,
      )
      break
    }
    t.pass(`${RUN} commands of run seed ${runSeed}`)
  }
  over = true
  await checkpoints
  const { coldReadsFetched, coldReadsAtOnce } = cold.server.durability.figures()
  t.ok(
    coldReadsFetched + coldReadsAtOnce > 0,
    `${coldReadsFetched} times fetched, ${coldReadsAtOnce} rows read at once`,
  )
})
