// What `npm install` runs: the system packages the addon needs, the addon, an optimised lmdb, and dist/. Quiet when all
// is well, one clear sentence when something is missing. It may be run again at any time.

import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const require = createRequire(import.meta.url)

/** Each with how to see that it is there; `need` says what fails without it, undefined when only tests do. */
const packages = [
  { name: 'g++', present: () => runs('g++', ['--version']), need: 'the native addon' },
  { name: 'make', present: () => runs('make', ['--version']), need: 'the native addon' },
  { name: 'python3', present: () => runs('python3', ['--version']), need: 'the native addon (node-gyp runs in it)' },
  { name: 'libluajit-5.1-dev', present: hasLuaJit, need: 'the native addon (EVAL runs in LuaJIT)' },
  { name: 'redis-server', present: () => runs('redis-server', ['--version']), need: undefined },
  { name: 'tcl', present: () => runs('tclsh', [], 'exit\n'), need: undefined },
]

function runs(command, args, input = '') {
  return spawnSync(command, args, { input }).status === 0
}

function hasLuaJit() {
  const folders = ['/usr/include', '/usr/local/include', '/opt/homebrew/include']
  return folders.some(folder => existsSync(join(folder, 'luajit-2.1', 'lua.h')))
}

function fail(sentence, output = '') {
  process.stderr.write(`${output}\nmillrace: ${sentence}\n`)
  process.exit(1)
}

function installPackages(missing) {
  const isRoot = process.getuid?.() === 0
  if (!isRoot || !runs('apt-get', ['--version'])) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', ['update', '-qq'], { env })
  for (const { name } of missing) {
    // Without recommends and without starting services: the tests start their own redis-server.
    const args = ['install', '-y', '-qq', '--no-install-recommends', name]
    spawnSync('apt-get', args, { env: { ...env, RUNLEVEL: '1' } })
  }
}

function checkPackages() {
  const missing = packages.filter(one => !one.present())
  if (missing.length === 0) return
  installPackages(missing)
  const stillMissing = packages.filter(one => !one.present())
  for (const { name } of stillMissing.filter(one => one.need === undefined)) {
    process.stderr.write(`millrace: ${name} is not installed; the server runs without it, some tests need it.\n`)
  }
  const [first] = stillMissing.filter(one => one.need !== undefined)
  if (first) fail(`install the package ${first.name} (as root: apt-get install ${first.name}): ${first.need} needs it.`)
}

function nodeGyp(folder) {
  const args = [require.resolve('node-gyp/bin/node-gyp.js'), 'rebuild', `--directory=${folder}`, '--jobs=max']
  // Headers beside this node, if there are some: node-gyp would download them otherwise.
  const nodeRoot = join(dirname(process.execPath), '..')
  if (existsSync(join(nodeRoot, 'include', 'node', 'node_api.h'))) args.push(`--nodedir=${nodeRoot}`)
  return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
}

function buildAddon() {
  const built = nodeGyp('native')
  if (built.status !== 0) fail('the native addon could not be built; the reason is above.', built.stdout + built.stderr)
}

/**
 * lmdb's own binary comes with its C sources compiled without optimisation: a page takes three times as long to
 * compress and write (docs/decisions/0011). Built here it is loaded instead; where that fails, its own serves.
 */
function buildStore() {
  const folder = join(dirname(require.resolve('lmdb')), '..')
  const binary = join(folder, 'build', 'Release', 'lmdb.node')
  if (runs(process.execPath, ['-e', `require(${JSON.stringify(binary)})`])) return
  if (nodeGyp(folder).status === 0) return
  rmSync(join(folder, 'build'), { recursive: true, force: true })
  process.stderr.write('millrace: lmdb could not be compiled here; its own binary serves, checkpoints cost more.\n')
}

function buildTypeScript() {
  if (!existsSync(join(root, 'src'))) return // an installed package brings dist/ with it
  const compiler = require.resolve('typescript/bin/tsc')
  const built = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, encoding: 'utf8' })
  if (built.status !== 0) fail('src/ could not be compiled; the reason is above.', built.stdout + built.stderr)
}

checkPackages()
buildAddon()
buildStore()
buildTypeScript()
