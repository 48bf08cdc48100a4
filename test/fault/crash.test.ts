// kill -9 under pipelined load, again and again: what was acknowledged is there, nothing is there twice, groups and
// pending entries agree with the model. CRASH_ROUNDS rounds per durability mode (3; npm run test:long sets 50).

import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { RespClient } from '../support/resp-client.js'
import { seeded } from '../support/seeded.js'
import { startServer } from '../support/start-server.js'
import { tempDir } from '../support/temp-dir.js'
import { Journey } from './journey.js'

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 3)
const CLIENTS = 6

for (const appendfsync of ['everysec', 'always']) {
  t.test(`kill -9 under load loses nothing acknowledged, appendfsync ${appendfsync}`, async t => {
    const rng = seeded()
    t.comment(`SEED=${rng.seed}`)
    const dir = tempDir(t)
    const journeys = Array.from({ length: CLIENTS }, (_, i) => new Journey(String(i), rng.below(2 ** 30)))
    // Small triggers, so that checkpoints are cut and written in the middle of the load.
    const args = ['--appendfsync', appendfsync, '--checkpoint-dirty-bytes', '1mb', '--page-cache-bytes', '1mb']
    for (let round = 1; round <= ROUNDS; round++) {
      const server = await startServer({ dir, args })
      const clients = await Promise.all(journeys.map(() => RespClient.connect(server.port)))
      const checker = await RespClient.connect(server.port)
      for (const [i, journey] of journeys.entries()) {
        const wrong = await journey.verify(checker)
        t.equal(wrong, undefined, `round ${round}, client ${i}: the state is that of the model`)
      }
      const acknowledged = (): number => journeys.reduce((sum, journey) => sum + journey.acknowledged, 0)
      const before = acknowledged()
      const travels = Promise.all(journeys.map((journey, i) => journey.travel(clients[i])))
      await sleep(rng.between(200, 900))
      while (acknowledged() === before) await sleep(5)
      await server.kill9()
      await travels
      checker.close()
      t.comment(`round ${round}: ${acknowledged() - before} operations were acknowledged`)
    }
    const server = await startServer({ dir, args })
    t.teardown(async () => void (await server.stop()))
    const checker = await RespClient.connect(server.port)
    for (const journey of journeys) t.equal(await journey.verify(checker), undefined, 'the last crash too')
    checker.close()
  })
}
