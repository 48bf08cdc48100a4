import t from 'tap'
import { CorruptionError } from '../../src/base/errors.js'
import { commandTable } from '../../src/commands/all-commands.js'
import { Damages } from '../../src/exec/damages.js'
import { requestOf } from '../../src/resp/request.js'

t.test('a refusal names the keys, is logged once for each piece and counted', async t => {
  const logged: string[] = []
  const damages = new Damages(commandTable(), { warning: line => void logged.push(line) })
  const error = new CorruptionError('page 1 is gone.')
  t.equal(damages.refuse(error, 'get', requestOf(['GET', 'a'])), "CORRUPT page 1 is gone. (key 'a')")
  const many = ['a', 'b\r\n', 'c', 'd', 'e', 'f'] as const
  t.equal(
    damages.refuse(error, 'sinter', requestOf(['SINTER', ...many])),
    "CORRUPT page 1 is gone. (one of the keys 'a', 'b..', 'c', 'd', 'e', …)",
  )
  t.equal(damages.refuse(new CorruptionError('x'), 'ping', requestOf(['PING'])), 'CORRUPT x')
  t.equal(damages.refuse(error, 'get', undefined), 'CORRUPT page 1 is gone.')
  t.same(damages.infoFields(), { damaged_pieces: 2, damage_refusals: 4 })
  t.same(logged, [
    "'get' met damaged data and was refused (key 'a'): page 1 is gone.",
    "'ping' met damaged data and was refused: x",
  ])
})
