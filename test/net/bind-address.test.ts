import t from 'tap'
import { isLoopback, isMissingAddress, parseBindAddress } from '../../src/net/bind-address.js'

t.test('the words of the bind option', async t => {
  t.same(parseBindAddress('127.0.0.1'), { host: '127.0.0.1', optional: false })
  t.same(parseBindAddress('*'), { host: '0.0.0.0', optional: false })
  t.same(parseBindAddress('-::*'), { host: '::', optional: true })
  t.same(parseBindAddress('-::1'), { host: '::1', optional: true })
})

t.test('an address that is missing differs from one that is taken', async t => {
  t.ok(isMissingAddress(Object.assign(new Error(), { code: 'EADDRNOTAVAIL' })))
  t.notOk(isMissingAddress(Object.assign(new Error(), { code: 'EADDRINUSE' })))
  t.notOk(isMissingAddress(new Error()))
})

t.test('peers on this machine', async t => {
  for (const ip of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1']) t.ok(isLoopback(ip), ip)
  for (const ip of ['10.0.0.1', '::2', '128.0.0.1', undefined]) t.notOk(isLoopback(ip), String(ip))
})
