// Masks what may rightly differ between two servers that got the same commands: readings of the clock, and fields of
// Redis 7.2 that the reference (7.0.15) lacks. Everything else stays as the bytes came. Each rule gives its reason.

import type { Command } from './generator.js'

/** A reply as a tree; `head` is the type byte and what stood beside it. */
interface Node {
  type: string
  text: string
  children: Node[]
}

type Rule = (root: Node, command: Command) => void

/** The reply as comparable text. */
export function comparable(command: Command, reply: Buffer): string {
  const name = String(command[0]).toUpperCase()
  const subcommand = String(command[1] ?? '').toUpperCase()
  const rule = RULES[`${name} ${subcommand}`] ?? RULES[name]
  if (rule === undefined || reply[0] === ERROR || reply[0] === STATUS) return reply.toString('latin1')
  const root = parse(reply, 0).node
  rule(root, command)
  return print(root)
}

const ERROR = 45
const STATUS = 43

const RULES: Record<string, Rule> = {
  // [[id, consumer, idle, count] …]: idle is a clock reading. The summary form has no fourth row element.
  XPENDING: root => {
    for (const row of root.children) if (row.children.length === 4) mask(row.children[2])
  },
  'XINFO CONSUMERS': root => {
    for (const row of root.children) maskFields(row, ['idle'], ['inactive'])
  },
  'XINFO STREAM': root => {
    // radix-tree-nodes is the shape of a structure we do not have. What is said of idempotence is of Redis 8.6.
    maskFields(root, ['radix-tree-nodes'], IDEMPOTENCE_FIELDS)
    for (const group of fieldOf(root, 'groups')?.children ?? []) {
      maskFields(group, [], ['nacked-count'])
      for (const row of fieldOf(group, 'pending')?.children ?? []) mask(row.children[2])
      for (const consumer of fieldOf(group, 'consumers')?.children ?? []) {
        maskFields(consumer, ['seen-time'], ['active-time'])
        for (const row of fieldOf(consumer, 'pending')?.children ?? []) mask(row.children[1])
      }
    }
  },
  // SORT unpacks a sorted set in Redis, here it does not (docs/compatibility.md). test/wire/zset has the thresholds.
  'OBJECT ENCODING': root => {
    if (root.text === 'listpack') root.text = 'skiplist'
  },
  // Redis shares small integers between keys unless they came by COPY or RESTORE; here their text decides.
  'OBJECT REFCOUNT': mask,
  // A set has no order of its own, and BY a pattern without a star asks for that order.
  SORT: maskUnsorted,
  SORT_RO: maskUnsorted,
  // The remaining time depends on when it is asked; rounded to 1,000 s both must agree.
  PTTL: root => coarse(root, 1_000_000),
  TTL: root => coarse(root, 1_000),
  EXPIRETIME: root => coarse(root, 1_000),
  PEXPIRETIME: root => coarse(root, 1_000_000),
  // KEYS has no order, nor have members of sets and fields of hashes.
  KEYS: root => sortChildren(root, 1),
  SMEMBERS: root => sortChildren(root, 1),
  SINTER: root => sortChildren(root, 1),
  SUNION: root => sortChildren(root, 1),
  SDIFF: root => sortChildren(root, 1),
  HKEYS: root => sortChildren(root, 1),
  HVALS: root => sortChildren(root, 1),
  HGETALL: root => sortChildren(root, 2),
  SSCAN: root => sortChildren(root.children[1], 1),
  HSCAN: root => sortChildren(root.children[1], 2),
  ZSCAN: root => sortChildren(root.children[1], 2),
  // Chosen by chance: only how many there are can be compared.
  SPOP: maskLeaves,
  SRANDMEMBER: maskLeaves,
  HRANDFIELD: maskLeaves,
  ZRANDMEMBER: maskLeaves,
}

/** Of XINFO STREAM, since Redis 8.6. */
export const IDEMPOTENCE_FIELDS: readonly string[] = [
  'idmp-duration',
  'idmp-maxsize',
  'pids-tracked',
  'iids-tracked',
  'iids-added',
  'iids-duplicates',
]

function maskUnsorted(root: Node, command: Command): void {
  const words = command.map(String)
  const by = words.findIndex(word => word.toUpperCase() === 'BY')
  if (by < 0 || words[by + 1]?.includes('*')) return
  // What GET finds nothing for is null, at another place as well.
  for (const child of root.children) {
    child.type = '$'
    mask(child)
  }
}

function mask(node: Node | undefined): void {
  if (node) node.text = '<time>'
}

/** Sorts children that belong together in groups of `width`. */
function sortChildren(node: Node, width: number): void {
  const groups: Node[][] = []
  for (let i = 0; i < node.children.length; i += width) groups.push(node.children.slice(i, i + width))
  const text = (group: Node[]) => group.map(print).join()
  node.children = groups.sort((a, b) => (text(a) < text(b) ? -1 : 1)).flat()
}

function maskLeaves(node: Node): void {
  if (node.children.length > 0) node.children.forEach(maskLeaves)
  else if (node.type === '$' || node.type === ',') node.text = '<chosen>'
}

function coarse(node: Node, unit: number): void {
  const value = Number(node.text)
  if (value > 0) node.text = `about ${Math.round(value / unit)}`
}

function fieldOf(map: Node, name: string): Node | undefined {
  for (let i = 0; i + 1 < map.children.length; i += 2) if (map.children[i].text === name) return map.children[i + 1]
  return undefined
}

/** Masks the values of `masked` and takes out the fields `extra`. */
function maskFields(map: Node, masked: readonly string[], extra: readonly string[]): void {
  for (const name of masked) mask(fieldOf(map, name))
  for (let i = map.children.length - 2; i >= 0; i -= 2) {
    if (extra.includes(map.children[i].text)) map.children.splice(i, 2)
  }
}

function parse(bytes: Buffer, at: number): { node: Node; end: number } {
  const eol = bytes.indexOf('\r\n', at)
  const type = String.fromCharCode(bytes[at])
  const text = bytes.toString('latin1', at + 1, eol)
  const node: Node = { type, text, children: [] }
  let end = eol + 2
  const length = Number(text)
  if (length === -1 && '$*'.includes(type)) node.type = `null ${type}`
  if ('$=!'.includes(type) && length >= 0) {
    node.text = bytes.toString('latin1', end, end + length)
    return { node, end: end + length + 2 }
  }
  if ('*~>%'.includes(type) && length >= 0) {
    node.text = ''
    for (let i = 0; i < (type === '%' ? length * 2 : length); i++) {
      const child = parse(bytes, end)
      node.children.push(child.node)
      end = child.end
    }
  }
  return { node, end }
}

function print(node: Node): string {
  const inner = node.children.map(print).join(' ')
  return node.children.length > 0 ? `${node.type}[${inner}]` : `${node.type}${JSON.stringify(node.text)}`
}
