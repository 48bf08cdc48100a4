import t from 'tap'
import { geohash52, LATITUDE_MAX, LONGITUDE_MAX } from '../../src/base/geohash.js'

t.test('places have the numbers that Redis gives them', async t => {
  t.equal(geohash52(13.361389, 38.115556), 3479099956230698)
  t.equal(geohash52(0, 0), 3377699720527872)
  t.equal(geohash52(-LONGITUDE_MAX, -LATITUDE_MAX), 0)
  t.equal(geohash52(-180, 0), 1125899906842624)
  t.equal(geohash52(0, -LATITUDE_MAX), 2251799813685248)
})

t.test('the far edges lie in cells of their own', async t => {
  t.equal(geohash52(180, 0), 10133099161583616)
  t.equal(geohash52(0, LATITUDE_MAX), 6755399441055744)
  t.equal(geohash52(180, LATITUDE_MAX), 13510798882111488)
})
