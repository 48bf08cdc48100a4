// The words of the `bind` option: an address or host name, '*' for all of IPv4, '::*' for all of IPv6, and a '-' in
// front of what this machine may lack.

export interface BindAddress {
  readonly host: string
  /** A machine without this address starts nevertheless. */
  readonly optional: boolean
}

export function parseBindAddress(word: string): BindAddress {
  const optional = word.startsWith('-')
  const host = optional ? word.slice(1) : word
  if (host === '*') return { host: '0.0.0.0', optional }
  return { host: host === '::*' ? '::' : host, optional }
}

/** True when the failure says that the machine has no such address, rather than that the address is taken. */
export function isMissingAddress(error: NodeJS.ErrnoException): boolean {
  return MISSING.has(error.code ?? '')
}

const MISSING = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EPROTONOSUPPORT', 'ENOTFOUND'])

/** Whether the peer is on this machine, for protected mode. */
export function isLoopback(ip: string | undefined): boolean {
  return ip !== undefined && (ip.startsWith('127.') || ip === '::1' || ip.startsWith('::ffff:127.'))
}
