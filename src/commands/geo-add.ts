// GEOADD: members of a sorted set whose scores are places. It alone of its family is here: what it writes is a sorted
// set like any other.

import { ReplyError, replyErrors } from '../base/errors.js'
import { geohash52, LATITUDE_MAX, LONGITUDE_MAX } from '../base/geohash.js'
import type { Args } from './args.js'
import { defineCommand, Flag, keysAt } from './spec.js'
import { newAddOptions, runAdd } from './zset-add.js'
import type { AddOptions } from './zset-add.js'

function parseGeoadd(args: Args): AddOptions {
  const options = newAddOptions(args.key())
  for (;;) {
    if (args.take('NX')) options.onlyNew = true
    else if (args.take('XX')) options.onlyOld = true
    else if (args.take('CH')) options.countChanged = true
    else break
  }
  if (args.remaining === 0 || args.remaining % 3 !== 0 || (options.onlyNew && options.onlyOld)) {
    throw new ReplyError(replyErrors.syntax)
  }
  const scores: number[] = []
  const members: string[] = []
  while (args.remaining > 0) {
    scores.push(parsePlace(args))
    members.push(args.text())
  }
  options.scores = scores
  options.members = members
  return options
}

function parsePlace(args: Args): number {
  const longitude = args.double()
  const latitude = args.double()
  if (Math.abs(longitude) > LONGITUDE_MAX || Math.abs(latitude) > LATITUDE_MAX) {
    throw new ReplyError(`ERR invalid longitude,latitude pair ${shown(longitude)},${shown(latitude)}`)
  }
  return geohash52(longitude, latitude)
}

/** As C's %f. */
function shown(degrees: number): string {
  return Number.isFinite(degrees) ? degrees.toFixed(6) : degrees > 0 ? 'inf' : '-inf'
}

export const geoadd = defineCommand({
  name: 'geoadd',
  arity: -5,
  flags: Flag.Write | Flag.DenyOom,
  categories: ['geo'],
  keys: keysAt(['RW', 'update'], 1),
  group: 'geo',
  since: '3.2.0',
  summary: 'Adds members to a sorted set, each with the number of its place as score.',
  complexity: 'O(log N) for each member',
  parse: parseGeoadd,
  run: runAdd,
})
