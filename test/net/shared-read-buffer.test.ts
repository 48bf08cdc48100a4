import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import t from 'tap'
import { readIntoSharedBuffer } from '../../src/net/shared-read-buffer.js'

t.test('connections read into the same memory, and end as sockets do', async t => {
  const buffers = new Set<Buffer>()
  const read = new Map<Socket, string>()
  const ended: Promise<unknown>[] = []
  const server = createServer({ allowHalfOpen: true }, accepted => {
    const socket = readIntoSharedBuffer(accepted, (bytes, length) => {
      buffers.add(bytes)
      const text = read.get(socket)! + bytes.toString('latin1', 0, length)
      read.set(socket, text)
      if (text.endsWith('\n')) socket.write(text)
    })
    read.set(socket, '')
    ended.push(once(socket, 'end').then(() => socket.end()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = (server.address() as AddressInfo).port
  const answers: Promise<string>[] = ['first', 'second'].map(async word => {
    const client = connect(port, '127.0.0.1')
    client.setEncoding('latin1')
    await once(client, 'connect')
    client.write(`${word}\n`)
    const [text] = (await once(client, 'data')) as [string]
    client.end()
    await once(client, 'close')
    return text
  })
  t.same(await Promise.all(answers), ['first\n', 'second\n'])
  t.same([...read.values()].sort(), ['first\n', 'second\n'])
  await Promise.all(ended)
  t.equal(buffers.size, 1, 'one buffer for all')
  server.close()
  await once(server, 'close') // only when the server has counted every connection out
})

t.test('a paused socket reads nothing until it goes on', async t => {
  let bytesRead = 0
  const server = createServer(accepted => {
    const socket = readIntoSharedBuffer(accepted, (_, length) => (bytesRead += length))
    socket.pause()
    server.emit('paused', socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'paused')) as [Socket]
  client.write('x')
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
  t.equal(bytesRead, 0)
  socket.resume()
  while (bytesRead === 0) await new Promise(resolve => setImmediate(resolve))
  t.equal(bytesRead, 1)
  client.destroy()
  socket.destroy()
  server.close()
})
