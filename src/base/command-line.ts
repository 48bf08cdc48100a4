// redis-server's command line: [file] [-] [--name value …]. Used by: config.
// A hand-written reader, because the values of an option are all words up to the next '--', several options take many
// words, and a value may itself begin with '--': no option parser has that grammar.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from './errors.js'
import { readConfigFile, readDirectives, splitWords } from './config-file.js'
import type { Directive } from './config-file.js'

export interface CommandLine {
  /** Absolute path of the configuration file, if one was named. */
  readonly file: string | undefined
  readonly directives: readonly Directive[]
}

/** '--version' and '--help' end the program before anything is read. */
export function askedFor(argv: readonly string[]): 'version' | 'help' | undefined {
  if (argv.length !== 1) return undefined
  if (argv[0] === '-v' || argv[0] === '--version') return 'version'
  if (argv[0] === '-h' || argv[0] === '--help') return 'help'
  return undefined
}

export const USAGE = `Usage: millrace [/path/to/millrace.conf] [--name value ...] [-]

  millrace                                 all defaults: port 6379, data in ./data
  millrace /etc/millrace.conf              directives from a file
  millrace --port 7300 --dir /data --appendfsync always
  millrace base.conf --client-output-buffer-limit normal 0 0 0
  echo 'maxmemory 4gb' | millrace -        directives from standard input as well
  millrace -v, --version                   prints the version
  millrace -h, --help                      prints this

Directives have the names of Redis; docs/configuration.md lists them all. An option wins over the file.
`

/** @throws UsageError naming the option or the line */
export function readCommandLine(argv: readonly string[], stdin = () => readFileSync(0, 'latin1')): CommandLine {
  let rest = argv.map(arg => Buffer.from(arg).toString('latin1'))
  let file: string | undefined
  if (rest.length > 0 && rest[0] !== '-' && !rest[0].startsWith('-')) {
    file = resolve(argv[0])
    rest = rest.slice(1)
  }
  const directives: Directive[] = []
  if (file !== undefined) directives.push(...readDirectives(readConfigFile(file), file))
  const standardInput = rest.includes('-')
  if (standardInput) directives.push(...readDirectives(stdin(), 'standard input'))
  directives.push(...readOptions(rest.filter(word => word !== '-')))
  return { file, directives }
}

function readOptions(args: readonly string[]): Directive[] {
  const options: { name: string; words: string[]; where: string }[] = []
  for (const arg of args) {
    const open = options[options.length - 1]
    // 'save' may stand without a value; every other option takes the next word as its first value, dashes or not.
    const waits = open !== undefined && open.words.length === 0 && open.name !== 'save'
    if (waits || (open !== undefined && !arg.startsWith('--'))) {
      open.words.push(arg)
    } else {
      const words = optionWords(arg)
      options.push({ name: words[0].toLowerCase(), words: words.slice(1), where: 'command line' })
    }
  }
  return options
}

/** '--name', '--name=value', '--name value' in one argument, and 'name value' without dashes as Redis tolerates it. */
function optionWords(arg: string): string[] {
  if (/^-[^-]/.test(arg)) {
    throw new UsageError(`command line, '${arg}': an option begins with two dashes; only -v and -h have one`)
  }
  const body = arg.startsWith('--') ? arg.slice(2) : arg
  const assigned = /^([a-z_-]+)=([^]*)$/i.exec(body)
  if (assigned !== null) return [assigned[1], assigned[2]]
  const words = splitWords(body)
  if (words === undefined) throw new UsageError(`command line, '${arg}': unbalanced quotes`)
  if (words.length === 0) throw new UsageError(`command line, '${arg}': the name of the option is missing`)
  return words
}
