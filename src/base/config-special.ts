// Configuration values with a grammar of their own: save, client-output-buffer-limit, notify-keyspace-events,
// latency-tracking-info-percentiles, oom-score-adj-values, proc-title-template.
// Used by: config-options. See config-types for the common kinds and the invariant that all of them share.

import { OptionError, parseMemory } from './config-types.js'
import type { OptionType } from './config-types.js'

export interface SavePoint {
  readonly seconds: number
  readonly changes: number
}

export const savePoints: OptionType<readonly SavePoint[]> = {
  description: 'pairs of seconds and changes, or an empty text',
  words: true,
  parse(words) {
    const given = words.filter(word => word !== '')
    if (given.length % 2 !== 0) throw new OptionError('Invalid save parameters')
    const points: SavePoint[] = []
    for (let i = 0; i < given.length; i += 2) {
      const seconds = wholeNumber(given[i])
      const changes = wholeNumber(given[i + 1])
      if (!(seconds >= 1) || !(changes >= 0)) throw new OptionError('Invalid save parameters')
      points.push({ seconds, changes })
    }
    return points
  },
  format: points => points.map(point => `${point.seconds} ${point.changes}`).join(' '),
}

function wholeNumber(word: string): number {
  return /^\d{1,15}$/.test(word) ? Number(word) : NaN
}

export interface OutputLimit {
  readonly hardBytes: number
  readonly softBytes: number
  readonly softSeconds: number
}

export interface OutputLimits {
  readonly normal: OutputLimit
  readonly replica: OutputLimit
  readonly pubsub: OutputLimit
}

export const outputLimits: OptionType<OutputLimits> = {
  description: 'class (normal, replica, pubsub), hard limit, soft limit, soft seconds; repeated for several classes',
  words: true,
  parse(words, previous) {
    if (words.length % 4 !== 0) {
      throw new OptionError('Wrong number of arguments in buffer limit configuration.')
    }
    const limits = { ...previous }
    for (let i = 0; i < words.length; i += 4) {
      const name = clientClass(words[i])
      const hardBytes = parseMemory(words[i + 1])
      const softBytes = parseMemory(words[i + 2])
      const softSeconds = wholeNumber(words[i + 3])
      if (hardBytes === undefined || softBytes === undefined || !(softSeconds >= 0)) {
        throw new OptionError('Error in hard, soft or soft_seconds setting in buffer limit configuration.')
      }
      limits[name] = { hardBytes, softBytes, softSeconds }
    }
    return limits
  },
  format: limits =>
    [['normal', limits.normal] as const, ['slave', limits.replica] as const, ['pubsub', limits.pubsub] as const]
      .map(([name, limit]) => `${name} ${limit.hardBytes} ${limit.softBytes} ${limit.softSeconds}`)
      .join(' '),
}

function clientClass(word: string): keyof OutputLimits {
  const name = word.toLowerCase()
  if (name === 'normal' || name === 'pubsub') return name
  if (name === 'replica' || name === 'slave') return 'replica'
  throw new OptionError('Invalid client class specified in buffer limit configuration.')
}

/** Letters that 'A' stands for, in the order CONFIG GET prints them. */
const ALL_EVENTS = 'g$lshzxetd'

/** The value is the set of letters with 'A' written out, so that users test it by includes(letter). */
export const eventLetters: OptionType<string> = {
  description: 'letters of Ag$lshzxeKEtmdn, or an empty text',
  words: false,
  parse([letters]) {
    let all = ''
    for (const letter of letters) {
      if (letter === 'A') all += ALL_EVENTS
      else if (`${ALL_EVENTS}nKEm`.includes(letter)) all += letter
      else throw new OptionError("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")
    }
    return [...`${ALL_EVENTS}nKEm`].filter(letter => all.includes(letter)).join('')
  },
  format(letters) {
    // After 'A' Redis 7.0 forgets to print 'n'; we print it, since CONFIG REWRITE would lose it otherwise.
    return letters.startsWith(ALL_EVENTS) ? 'A' + letters.slice(ALL_EVENTS.length) : letters
  },
}

export const percentiles: OptionType<readonly number[]> = {
  description: 'numbers from 0 to 100, or an empty text',
  words: true,
  parse(words) {
    return words
      .filter(word => word !== '')
      .map(word => {
        const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : NaN
        if (Number.isNaN(value)) throw new OptionError('Invalid latency-tracking-info-percentiles parameters')
        if (value < 0 || value > 100) {
          throw new OptionError('latency-tracking-info-percentiles parameters should sit between [0.0,100.0]')
        }
        return value
      })
  },
  format: values => values.join(' '),
}

const OOM_VALUES = 3
const OOM_SCORE_MAX = 2000

export const oomScores: OptionType<readonly number[]> = {
  description: 'three integers from -2000 to 2000',
  words: true,
  parse(words) {
    if (words.length !== OOM_VALUES) throw new OptionError('wrong number of arguments')
    return words.map(word => {
      const value = /^-?\d{1,9}$/.test(word) ? Number(word) : NaN
      if (!(Math.abs(value) <= OOM_SCORE_MAX)) {
        throw new OptionError('Invalid oom-score-adj-values, elements must be between -2000 and 2000.')
      }
      return value
    })
  },
  format: values => values.join(' '),
}

/** 'host port'; 'no one' is the empty text. */
export const master: OptionType<string> = {
  description: 'host and port',
  words: true,
  parse(words) {
    if (words.length === 0) return ''
    if (words.length !== 2) throw new OptionError('wrong number of arguments')
    if (words.join(' ').toLowerCase() === 'no one') return ''
    const port = wholeNumber(words[1])
    if (!(port >= 0 && port <= 65535)) throw new OptionError('Invalid master port')
    return words.join(' ')
  },
  format: value => value,
}

const TITLE_VARIABLES = new Set([
  'title',
  'listen-addr',
  'server-mode',
  'port',
  'tls-port',
  'unixsocket',
  'config-file',
])

/** Why a proc-title-template is refused. */
export function titleFault(template: string): string | undefined {
  const variables = [...template.matchAll(/\{([^{}]*)\}/g)].map(found => found[1])
  const balanced = !/[{}]/.test(template.replace(/\{[^{}]*\}/g, ''))
  if (template !== '' && balanced && variables.every(name => TITLE_VARIABLES.has(name))) return undefined
  return 'template format is invalid or contains unknown variables'
}
