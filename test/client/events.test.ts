import t from 'tap'
import { asError, Events } from '../../src/client/events.js'

class Source extends Events<{ tick: number; error: Error }> {
  tick(number: number): void {
    this.emit('tick', number)
  }
}

t.test('listeners hear until they are removed', async t => {
  const source = new Source()
  const heard: number[] = []
  const off = source.on('tick', number => heard.push(number))
  source.on('tick', number => heard.push(-number))
  source.tick(1)
  off()
  source.tick(2)
  t.same(heard, [1, -1, -2])
})

t.test('a listener that throws is told as an error and stops nobody', async t => {
  const source = new Source()
  const errors: string[] = []
  source.on('tick', () => {
    throw new Error('mine')
  })
  let heard = 0
  source.on('tick', () => heard++)
  source.tick(1)
  source.on('error', error => {
    errors.push(error.message)
    throw new Error('even here')
  })
  source.tick(2)
  t.same([heard, errors], [2, ['mine']])
})

t.test('whatever was thrown becomes an error', async t => {
  t.equal(asError('text').message, 'text')
  const error = new Error('itself')
  t.equal(asError(error), error)
})
