// Words for a system error's number, for messages to the operator. Used by: store/.

import { getSystemErrorMap } from 'node:util'

/** @param errno negative, as the system calls of the addon and Node's errors give it */
export function systemErrorText(errno: number): string {
  const [name, text] = getSystemErrorMap().get(errno) ?? [`error ${-errno}`, 'unknown error']
  return `${text} (${name})`
}
