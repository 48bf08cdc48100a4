// How recently or how often a key was used, for OBJECT IDLETIME, OBJECT FREQ and eviction. Kept in one small integer of
// each key, its stamp: seconds of the last access, or, under the LFU policies, a counter that grows with the logarithm
// of the accesses and the minute in which it was last decayed. Used by: key-entry, keyspace, eviction.
//
// The two are told apart by the sign, so a change of the policy makes no key look older or busier than it was: a
// stamp of the other kind is read as what it says about the time.

/** Access times are kept as small integers: whole seconds from here on. */
const BASE_S = 1_600_000_000
const SECONDS_MAX = 0x7fffffff
const MINUTES_MASK = 0x7fffff
const COUNTER_MAX = 255
/** What new keys begin with, so that they are not the first to go. */
const COUNTER_FIRST = 5

/** The stamp of an access at `ms`, Unix time; never before the base. */
export function stampOf(ms: number): number {
  const seconds = Math.floor(ms / 1000) - BASE_S
  return seconds <= 0 ? 0 : seconds > SECONDS_MAX ? SECONDS_MAX : seconds
}

/** Unix ms of the last access, as far as the stamp tells. */
export function stampMs(stamp: number): number {
  return (BASE_S + (stamp >= 0 ? stamp : minuteIn(stamp) * 60)) * 1000
}

interface Stamped {
  stamp: number
}

export class Frequencies {
  /** lfu-log-factor: the higher, the more accesses it takes to count on. */
  logFactor = 10
  /** lfu-decay-time: minutes until a counter loses one; 0 for never. */
  decayMinutes = 1
  readonly #pick: () => number

  /** @param pick gives [0, 1) */
  constructor(pick: () => number) {
    this.#pick = pick
  }

  /** A new key. */
  begin(entry: Stamped, nowMs: number): void {
    entry.stamp = packed(COUNTER_FIRST, minuteOf(nowMs))
  }

  /** A key that was used. */
  count(entry: Stamped, nowMs: number): void {
    let counter = this.of(entry, nowMs)
    if (counter < COUNTER_MAX) {
      const beyond = Math.max(0, counter - COUNTER_FIRST)
      if (beyond * this.logFactor === 0 || this.#pick() < 1 / (beyond * this.logFactor + 1)) counter++
    }
    entry.stamp = packed(counter, minuteOf(nowMs))
  }

  /** RESTORE … FREQ. */
  set(entry: Stamped, counter: number, nowMs: number): void {
    entry.stamp = packed(counter, minuteOf(nowMs))
  }

  /** The counter as of now, 0 to 255. */
  of({ stamp }: Stamped, nowMs: number): number {
    const counter = stamp < 0 ? ~stamp & 0xff : COUNTER_FIRST
    if (this.decayMinutes === 0) return counter
    const minute = stamp < 0 ? minuteIn(stamp) : Math.floor(stamp / 60)
    const minutes = (minuteOf(nowMs) - minute) & MINUTES_MASK
    return Math.max(0, counter - Math.floor(minutes / this.decayMinutes))
  }
}

function minuteOf(ms: number): number {
  return Math.floor((ms / 1000 - BASE_S) / 60) & MINUTES_MASK
}

function minuteIn(stamp: number): number {
  return ~stamp >>> 8
}

/** Negative, whatever the parts. */
function packed(counter: number, minute: number): number {
  return ~((minute << 8) | counter)
}
