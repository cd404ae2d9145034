/**
 * A copy of the checkout in the temporary directory of the machine, for mutants: the checkout itself is not changed.
 * Packages of the project are copied, so all see the mutant; npm packages are linked.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { transformSync } from '@swc/core'

const leftOut = new Set(['.git', '.data', 'node_modules'])

export function copyRepository(root, directory) {
  cpSync(root, directory, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !leftOut.has(relative(root, source).split(sep)[0]),
  })
  const modules = join(directory, 'node_modules')
  mkdirSync(modules)
  symlinkSync(join(root, 'node_modules', '.pnpm'), join(modules, '.pnpm'))
  // Links relative to this folder: ours lead into the copy, the others into .pnpm.
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name.startsWith('.')) continue
    cpSync(join(root, 'node_modules', name), join(modules, name), { recursive: true, verbatimSymlinks: true })
  }
  return directory
}

/** Writes `content` to a file of the copy, and to what is compiled from it, which the tests of whole processes run. */
export function put(directory, file, content) {
  writeFileSync(join(directory, file), content)
  const compiled = join(directory, file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'))
  if (!existsSync(dirname(compiled))) return
  const { code } = transformSync(content, { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' } })
  writeFileSync(compiled, code.replaceAll(/(from\s+['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
}

export const readContent = (directory, file) => readFileSync(join(directory, file), 'utf8')
