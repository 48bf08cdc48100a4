// A place on earth as the 52-bit number that Redis keeps as a sorted set's score: 26 bits of latitude and longitude
// each, interleaved. Used by: commands/geo-add.

export const LONGITUDE_MAX = 180
/** Beyond it the web's Mercator projection ends, and so does Redis. */
export const LATITUDE_MAX = 85.05112878

const STEPS = 26
const HALF = STEPS / 2
const LOW = (1 << HALF) - 1

/**
 * @param longitude degrees, from -LONGITUDE_MAX to LONGITUDE_MAX
 * @param latitude degrees, from -LATITUDE_MAX to LATITUDE_MAX
 */
export function geohash52(longitude: number, latitude: number): number {
  const x = cell(longitude, LONGITUDE_MAX)
  const y = cell(latitude, LATITUDE_MAX)
  // Both halves are exact, so that what does not fit a double (the far edges) is rounded once, as Redis rounds it.
  return interleaved(x >>> HALF, y >>> HALF) * 2 ** STEPS + interleaved(x & LOW, y & LOW)
}

function interleaved(x: number, y: number): number {
  let bits = 0
  for (let bit = HALF; bit >= 0; bit--) bits = bits * 4 + ((x >>> bit) & 1) * 2 + ((y >>> bit) & 1)
  return bits
}

function cell(degrees: number, max: number): number {
  // The far edge lies in a cell of its own, one bit longer.
  return Math.floor(((degrees + max) / (max + max)) * 2 ** STEPS)
}
