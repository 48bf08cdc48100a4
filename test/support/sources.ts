// The project's own files, read for test/tidy.test.ts: what there is, what imports what, what functions they hold.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')

/** Paths below the root, '/'-separated, of all files in `folder` that end in one of `endings`. */
export function filesIn(folder: string, endings: readonly string[]): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile() && endings.some(ending => entry.name.endsWith(ending)))
    .map(entry => relative(ROOT, join(entry.parentPath ?? entry.path, entry.name)))
    .filter(path => !/(^|\/)(node_modules|build|dist|\.tap)\//.test(path))
    .sort()
}

export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

export function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(path, textOf(path), ts.ScriptTarget.ES2022, true)
}

/** Files of this project that `path` imports (type imports too), and packages. */
export function importsOf(path: string): { files: string[]; packages: string[] } {
  const files: string[] = []
  const packages: string[] = []
  const take = (specifier: string) => {
    if (!specifier.startsWith('.')) packages.push(specifier)
    else files.push(relative(ROOT, join(ROOT, dirname(path), specifier)).replace(/\.js$/, '.ts'))
  }
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      take((node.moduleSpecifier as ts.StringLiteral).text)
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments
      if (argument && ts.isStringLiteral(argument)) take(argument.text)
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      take((node.argument.literal as ts.StringLiteral).text)
    }
    ts.forEachChild(node, visit)
  }
  visit(parse(path))
  return { files, packages }
}

/** As importsOf, but only what is there at run time: these may not form a cycle. */
export function runtimeImportsOf(path: string): string[] {
  const files: string[] = []
  for (const node of parse(path).statements) {
    if (!(ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) || !node.moduleSpecifier) continue
    const specifier = (node.moduleSpecifier as ts.StringLiteral).text
    const typeOnly = ts.isImportDeclaration(node) ? node.importClause?.isTypeOnly : node.isTypeOnly
    if (typeOnly || !specifier.startsWith('.')) continue
    files.push(relative(ROOT, join(ROOT, dirname(path), specifier)).replace(/\.js$/, '.ts'))
  }
  return files
}

/** Cycles among `files` by the edges of `edges`, each as the list of files around it. */
export function cyclesIn(files: readonly string[], edges: (file: string) => readonly string[]): string[][] {
  const done = new Set<string>()
  const cycles: string[][] = []
  const walk = (file: string, path: string[]): void => {
    const seenAt = path.indexOf(file)
    if (seenAt >= 0) {
      cycles.push([...path.slice(seenAt), file])
      return
    }
    if (done.has(file)) return
    for (const next of edges(file)) walk(next, [...path, file])
    done.add(file)
  }
  for (const file of files) walk(file, [])
  return cycles
}

/**
 * Functions longer than `linesMax`, as 'path:line name (lines)'. A tap test body is a list of cases, not a function.
 */
export function longFunctions(path: string, linesMax: number): string[] {
  const source = parse(path)
  const long: string[] = []
  const visit = (node: ts.Node): void => {
    const isFunction =
      ts.isFunctionDeclaration(node) ||
      ts.isMethodDeclaration(node) ||
      ts.isFunctionExpression(node) ||
      ts.isArrowFunction(node) ||
      ts.isConstructorDeclaration(node)
    if (isFunction) {
      const from = source.getLineAndCharacterOfPosition(node.getStart()).line
      const to = source.getLineAndCharacterOfPosition(node.end).line
      const lines = to - from + 1
      const name = (node as { name?: ts.Node }).name?.getText() ?? 'function'
      if (lines > linesMax) long.push(`${path}:${from + 1} ${name} (${lines})`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return long
}
