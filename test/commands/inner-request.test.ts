import t from 'tap'
import { innerRequest } from '../../src/commands/inner-request.js'
import { requestOf } from '../../src/resp/request.js'

t.test('the rest of a request is a request', async t => {
  const outer = requestOf(['ACL', 'DRYRUN', 'u', 'SET', 'k', 'v'])
  const inner = innerRequest(outer, 3)
  t.equal(inner.argc, 3)
  t.same([inner.text(0), inner.text(1), inner.text(2)], ['SET', 'k', 'v'])
  t.equal(inner.is(0, 'SET'), true)
  t.equal(inner.buffer, outer.buffer, 'nothing is copied')
  t.equal(innerRequest(outer, 6).argc, 0)
})
