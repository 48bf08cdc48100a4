import t from 'tap'
import { ScriptFlag } from '../../src/commands/scripts.js'
import { flagOf, isLibraryName, readLibraryHead, readScriptHead } from '../../src/exec/script-shebang.js'

t.test('a script without a shebang has no flags, one with an empty list has none set', async t => {
  t.same(readScriptHead('return 1'), { codeAt: 0, flags: undefined })
  t.same(readScriptHead('#!lua\nreturn 1'), { codeAt: 5, flags: 0 })
  t.same(readScriptHead('#!lua flags=no-writes,allow-oom\n'), {
    codeAt: 31,
    flags: ScriptFlag.NoWrites | ScriptFlag.AllowOom,
  })
})

t.test('what a script shebang may not say is refused with the word', async t => {
  t.throws(() => readScriptHead('#!lua'), { message: 'ERR Invalid script shebang' })
  t.throws(() => readScriptHead('#!js\n'), { message: 'ERR Unexpected engine in script shebang: #!js' })
  t.throws(() => readScriptHead('#!lua name=x\n'), { message: 'ERR Unknown lua shebang option: name=x' })
  t.throws(() => readScriptHead('#!lua flags=x\n'), { message: 'ERR Unexpected flag in script shebang: x' })
})

t.test('a library names itself and its engine', async t => {
  t.same(readLibraryHead('#!lua name=my_lib1\ncode'), { name: 'my_lib1', engine: 'lua', codeAt: 18 })
  t.throws(() => readLibraryHead('code'), { message: 'ERR Missing library metadata' })
  t.throws(() => readLibraryHead('#!lua name=x'), { message: 'ERR Invalid library metadata' })
  t.throws(() => readLibraryHead('#!lua\n'), { message: 'ERR Library name was not given' })
  t.throws(() => readLibraryHead('#!lua name=a name=b\n'), { message: /multiple times/ })
  t.throws(() => readLibraryHead('#!lua name=a x=b\n'), { message: 'ERR Invalid metadata value given: x=b' })
  t.throws(() => readLibraryHead('#!lua name=a-b\n'), { message: /can only contain letters/ })
})

t.test('names and flags', async t => {
  t.ok(isLibraryName('a_1'))
  for (const name of ['', 'a b', 'a\0', 'ü', 'a\n']) t.notOk(isLibraryName(name), JSON.stringify(name))
  t.equal(flagOf('allow-cross-slot-keys'), ScriptFlag.AllowCrossSlotKeys)
  t.equal(flagOf('NO-WRITES'), undefined)
})
