import t from 'tap'
import type { ClientSession } from '../../src/exec/session.js'
import { SessionRegistry } from '../../src/exec/session-registry.js'

t.test('clients are found by id, in the order they came; ids are not given out twice', async t => {
  const registry = new SessionRegistry()
  const session = () => ({ id: registry.newId() }) as ClientSession
  const all = [session(), session(), session()]
  for (const each of all) registry.add(each)
  registry.remove(all[1])
  t.equal(registry.size, 2)
  t.same(
    [...registry].map(({ id }) => id),
    [1, 3],
  )
  t.equal(registry.get(3), all[2])
  t.equal(registry.get(2), undefined)
  t.equal(registry.newId(), 4)
})
