import t from 'tap'
import { placeGuess } from '../../src/pages/place-guess.js'

t.test('a guess lies in the range, at its ends for what is beyond them, and hits evenly spread numbers', async t => {
  for (const count of [1, 2, 9, 225]) {
    const last = 3 + 7 * (count - 1)
    for (const wanted of [-5, 0, 10, 1e18, Infinity]) {
      const at = placeGuess(3, last, wanted, count)
      t.ok(at >= 0 && at < count, `${wanted} among ${count}`)
    }
    for (let i = 0; i < count && count > 1; i++) {
      if (placeGuess(3, last, 3 + 7 * i, count) !== i) t.fail(`${i} of ${count}`)
    }
  }
  t.equal(placeGuess(4, 4, 4, 10), 5, 'alike numbers are searched by halves')
  t.equal(placeGuess(0, 100, -1, 10), 0)
  t.equal(placeGuess(0, 100, 101, 10), 9)
})
