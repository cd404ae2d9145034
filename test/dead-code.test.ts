/** @slow It runs a checker on planted code. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'

/** `npm run verify:dead` reads the project. Here its rules read one package, with a planted violation. */
const root = resolve(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'dead-code-'))
afterAll(() => rmSync(directory, { recursive: true }))

const manifest = (name: string, fields: object = {}) => JSON.stringify({ name, type: 'module', ...fields })

function unnamedExports(source: string): string[] {
  const files = {
    'package.json': manifest('planted'),
    'pnpm-workspace.yaml': 'packages: [packages/*]\n',
    'packages/planted/package.json': manifest('@planted/planted', { exports: { './*': './src/*.ts' } }),
    'packages/planted/src/planted.ts': source,
    'packages/planted/src/reader.ts': "import { read } from './planted.ts'\n\nread()\n",
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  copyFileSync(join(root, 'knip.json'), join(directory, 'knip.json'))
  const knip = join(root, 'node_modules/knip/bin/knip.js')
  const flags = ['--include', 'exports,types', '--reporter', 'json', '--no-exit-code']
  const output = execFileSync(process.execPath, [knip, ...flags], { cwd: directory, encoding: 'utf8' })
  const { issues } = JSON.parse(output) as { issues: Record<'exports' | 'types', { name: string }[]>[] }
  return issues.flatMap(({ exports, types }) => [...exports, ...types].map(({ name }) => name))
}

const named = 'export const read = () => limit\n'

test('finds exports that only their own file uses, also of a package', () => {
  expect(unnamedExports(`const limit = 1\n${named}`)).toEqual([])
  expect(unnamedExports(`export const limit = 1\n${named}`)).toEqual(['limit'])
  expect(unnamedExports(`type Limit = number\nconst limit: Limit = 1\n${named}`)).toEqual([])
  expect(unnamedExports(`export type Limit = number\nconst limit: Limit = 1\n${named}`)).toEqual(['Limit'])
})
