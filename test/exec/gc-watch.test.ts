import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { GcWatch } from '../../src/exec/gc-watch.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const LOOKS_MAX = 500

t.test('collections are told while it is on', async t => {
  const told: number[] = []
  const watch = new GcWatch(ms => told.push(ms))
  const heard = async () => {
    for (let looks = 0; told.length === 0 && looks < LOOKS_MAX; looks++) {
      await new Promise(resolve => setTimeout(resolve, 10))
    }
  }
  watch.on = true
  watch.on = true
  collect()
  await heard()
  t.ok(told.length > 0 && told.every(ms => ms >= 0), 'milliseconds')
  watch.on = false
  watch.on = false
  told.length = 0
  collect()
  await new Promise(resolve => setTimeout(resolve, 50))
  t.same(told, [])
})
