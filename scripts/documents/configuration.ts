// Renders docs/configuration.md from the tables of options. Used by: scripts/docs.mjs, test/tidy.test.ts.

import { INERT_PARTS } from '../../src/base/config-inert.js'
import { OPTION_PARTS } from '../../src/base/config-options.js'
import type { Option } from '../../src/base/config-options.js'

const HEAD = `# Configuration

Directives have the names of Redis 7 where Redis has them. They come, later ones winning, from a file named as the first
argument, from standard input when \`-\` is given, and from the command line:

\`\`\`
millrace /etc/millrace.conf --port 7300 --appendfsync always --client-output-buffer-limit normal 0 0 0
\`\`\`

- A file has one directive a line. \`#\` begins a comment line; \`'…'\` and \`"…"\` hold words together, the latter
  with \`\\n\`, \`\\xff\` and the like. \`include path\` reads another file there; its last part may be a pattern.
- \`save\` and \`client-output-buffer-limit\` may be repeated. \`--name=value\` is \`--name value\`.
- Bytes may be written with \`kb\`, \`mb\`, \`gb\` (1024) or \`k\`, \`m\`, \`g\` (1000).
- A mistake ends the start with one sentence that names the line or option and says what would be right.
- \`CONFIG SET\` changes all directives it names or none. *fixed*: only at start. *protected*: needs
  \`enable-protected-configs\`. \`CONFIG REWRITE\` keeps comments and order of the file.
- Refused, since they would promise what is not there: \`rename-command\`, \`user\` (but for the default user as Redis
  writes it), \`loadmodule\`, \`sentinel\`, \`replicaof\`, \`cluster-enabled yes\`, \`tls-port\`, \`aclfile\`,
  \`daemonize yes\`.

\`enable-debug-command\` is \`no\`, as in Redis: DEBUG can stop the server for as long as it likes. \`appendonly\` shows
\`yes\`: the journal is always on.

Beside Redis' directives there are \`page-cache-bytes\`, \`checkpoint-interval\`, \`checkpoint-dirty-bytes\` and
\`journal-max-bytes\`.
`

const INERT_HEAD = `
## Accepted without effect

These are read, kept, shown by CONFIG GET and written by CONFIG REWRITE, so that existing files and tools work. They
change nothing here, for the reason given.
`

export function configurationDocument(): string {
  const parts = Object.entries(OPTION_PARTS).map(
    ([title, rows]) =>
      `\n## ${title}\n\n| directive | value | default | effect |\n|---|---|---|---|\n` +
      rowsOf(rows, option => describe(option)),
  )
  const inert = Object.entries(INERT_PARTS).map(
    ([title, rows]) =>
      `\n### ${title}\n\n| directive | default | why |\n|---|---|---|\n` +
      shown(rows)
        .map(([name, option]) => `| ${names(name, option)} | ${defaultOf(name, option)} | ${option.text} |\n`)
        .join(''),
  )
  return HEAD + parts.join('') + INERT_HEAD + inert.join('')
}

type Rows = Readonly<Record<string, Option>>

function rowsOf(rows: Rows, text: (option: Option) => string): string {
  return shown(rows)
    .map(([name, option]) => {
      return `| ${names(name, option)} | ${option.type.description} | ${defaultOf(name, option)} | ${text(option)} |\n`
    })
    .join('')
}

function shown(rows: Rows): [string, Option][] {
  return Object.entries(rows).filter(([, option]) => !option.hidden)
}

function names(name: string, option: Option): string {
  return [name, ...option.aliases].map(word => `\`${word}\``).join('<br>')
}

function defaultOf(name: string, option: Option): string {
  if (name === 'dir') return 'the present folder'
  const text = option.type.format(option.default)
  return text === '' ? 'empty' : `\`${text}\``
}

function describe(option: Option): string {
  const marks = [option.immutable ? '*fixed*' : '', option.protected ? '*protected*' : ''].filter(mark => mark !== '')
  return [option.text, ...marks].join(' ')
}
