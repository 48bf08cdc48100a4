import t from 'tap'
import { commandTable } from '../../src/commands/all-commands.js'
import { keyAccesses, keyPlaces } from '../../src/commands/key-access.js'
import { requestOf } from '../../src/resp/request.js'

const table = commandTable()

function accesses(...words: string[]): string {
  const request = requestOf(words)
  const found = keyAccesses(table.lookup(request)!.spec, request)
  return found.map(({ at, reads, writes }) => `${at}${reads ? 'r' : ''}${writes ? 'w' : ''}`).join(' ')
}

t.test('what commands do to their keys', async t => {
  t.equal(accesses('PING'), '')
  t.equal(accesses('GET', 'k'), '1r')
  t.equal(accesses('EXISTS', 'k', 'l'), '1 2')
  t.equal(accesses('LPUSH', 'k', 'v'), '1w')
  t.equal(accesses('LPOP', 'k'), '1rw')
  t.equal(accesses('COPY', 'k', 'l'), '1r 2w')
  t.equal(accesses('EVAL', 's', '2', 'k', 'l'), '3rw 4rw')
  t.equal(accesses('EVAL', 's', '9', 'k'), '', 'what will be refused has no keys')
  t.equal(accesses('XREADGROUP', 'GROUP', 'g', 'c', 'STREAMS', 'k', 'l', '>', '>'), '5r 6r')
  t.equal(accesses('SORT', 'k', 'BY', 'w*', 'STORE', 'l'), '1r 5w')
})

t.test('SET reads when it is asked for the old value', async t => {
  t.equal(accesses('SET', 'k', 'v'), '1w')
  t.equal(accesses('SET', 'k', 'get'), '1w', 'the value is no option')
  t.equal(accesses('SET', 'k', 'v', 'EX', '1', 'get'), '1rw')
})

t.test('a request whose number of keys is none has no keys at all', async t => {
  const zinterstore = table.find('zinterstore')!
  const places = (...words: string[]) =>
    keyPlaces(zinterstore, requestOf(['ZINTERSTORE', ...words])).map(({ at }) => at)
  t.same(places('z', '1', 'y'), [1, 3])
  for (const count of ['0', 'x', '-1', '3']) t.same(places('z', count, 'y'), [], count)
})
