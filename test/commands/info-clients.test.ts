import t from 'tap'
import { clientCounts } from '../../src/commands/info-clients.js'
import type { Server, Session } from '../../src/commands/server.js'

t.test('clients are counted, with the largest of their buffers', async t => {
  const session = (queryBufferBytes: number, outputBytes: number) => ({ queryBufferBytes, outputBytes }) as Session
  const counts = (...sessions: Session[]) => clientCounts({ sessions: () => sessions } as unknown as Server)
  t.same(counts(), { connected: 0, inputBytesMax: 0, outputBytesMax: 0 })
  t.same(counts(session(5, 10), session(70, 0), session(0, 90)), {
    connected: 3,
    inputBytesMax: 70,
    outputBytesMax: 90,
  })
})
