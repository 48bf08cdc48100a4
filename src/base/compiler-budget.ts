// How much V8's optimizing compiler may inline into one function. A command runs through some dozens of small functions
// (the parser, the row's parse, the key table, a type, the reply), more bytecode than V8's own limit, which is made for
// programs that must start fast: with room for all of them SET and the commands of a script take 4 to 5 % less of the
// processor (measured in process, alternating); twice the room again gains nothing. Used by: main.

import { setFlagsFromString } from 'node:v8'

const INLINED_BYTES_MAX = 2500

/** To be called before anything is hot; what was compiled before stays as it is. */
export function widenInlining(setFlag = setFlagsFromString): void {
  setFlag(`--max-inlined-bytecode-size-cumulative=${INLINED_BYTES_MAX}`)
}
