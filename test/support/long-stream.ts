// Streams whose replies are long: entries of three kilobytes, and what a reader of them gets. Used by: long-replies,
// long-replies-forms.

import type { RespClient } from './resp-client.js'

const VALUE = 'x'.repeat(3000)

/** Sends the commands at once and reads their replies. */
export async function run(client: RespClient, commands: readonly string[]): Promise<void> {
  client.send(commands.map(command => `${command}\r\n`).join(''))
  for (const command of commands) if (command !== '') await client.reply()
}

/** Commands that add the entries `from` to `to`. */
export function adding(key: string, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => `XADD ${key} ${from + i}-1 f ${VALUE}${from + i}`)
}

/** What a reader gets of one. */
export function entry(number: number): string {
  const [id, value] = [`${number}-1`, `${VALUE}${number}`]
  return `*2\r\n$${id.length}\r\n${id}\r\n*2\r\n$1\r\nf\r\n$${value.length}\r\n${value}\r\n`
}

/** What a reader of entries `from` to `to` gets. */
export function entries(from: number, to: number): string {
  const step = to < from ? -1 : 1
  const texts: string[] = []
  for (let i = from; i !== to + step; i += step) texts.push(entry(i))
  return `*${texts.length}\r\n${texts.join('')}`
}
