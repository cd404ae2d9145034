import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { root } from './manifests.ts'

/** The chunks of the previous console in an image (Dockerfile, scripts/release/previous-chunks.mjs). */
const directory = mkdtempSync(join(tmpdir(), 'previous-chunks-'))
afterAll(() => rmSync(directory, { recursive: true }))

const script = join(root, 'scripts', 'release', 'previous-chunks.mjs')
const consoleFolder = (gateway: string) => join(directory, gateway, 'node_modules', '@payments', 'console', 'dist')
const chunksIn = (console: string) => readdirSync(join(console, 'assets')).sort()
const add = (gateway: string, console: string) =>
  execFileSync(process.execPath, [script, join(directory, gateway), console], { encoding: 'utf8', stdio: 'pipe' })

/** A deployed gateway whose console has these chunks, each with its name as content. */
function deploy(gateway: string, ...names: readonly string[]): string {
  const console = consoleFolder(gateway)
  mkdirSync(join(console, 'assets'), { recursive: true })
  writeFileSync(join(console, '..', 'package.json'), '{}')
  const files = names.map((name) => `assets/${name}`)
  for (const file of files) writeFileSync(join(console, file), file)
  writeFileSync(
    join(console, 'manifest.json'),
    JSON.stringify(Object.fromEntries(files.map((file) => [file, { file }]))),
  )
  return console
}

describe('the console of a release', () => {
  let second: string
  let third: string
  beforeAll(() => {
    deploy('first', 'first.js', 'both.js', 'first.css')
    second = deploy('second', 'second.js', 'both.js')
    third = deploy('third', 'third.js')
    add('first', second)
    add('second', third)
  })

  test('has the chunks of the previous release beside its own, and those of no earlier one', () => {
    expect(chunksIn(second)).toEqual(['both.js', 'first.css', 'first.js', 'second.js'])
    expect(chunksIn(third)).toEqual(['both.js', 'second.js', 'third.js'])
    expect(readFileSync(join(third, 'assets', 'second.js'), 'utf8')).toBe('assets/second.js')
  })

  test('is the same when its chunks are added again', () => {
    expect(add('second', third)).toContain('0 chunks')
    expect(chunksIn(third)).toEqual(['both.js', 'second.js', 'third.js'])
  })
})

test('a gateway without a console, and an empty folder, add nothing', () => {
  const own = deploy('own', 'own.js')
  mkdirSync(join(directory, 'empty'))
  expect(add('empty', own)).toContain('0 chunks')
  expect(chunksIn(own)).toEqual(['own.js'])
})

test('a manifest that names a file outside of the chunks adds nothing', () => {
  const own = deploy('strict', 'strict.js')
  const foreign = deploy('foreign', 'foreign.js')
  writeFileSync(join(foreign, 'manifest.json'), JSON.stringify({ a: { file: 'assets/../index.html' } }))
  expect(() => add('foreign', own)).toThrow(/is no chunk/)
  expect(chunksIn(own)).toEqual(['strict.js'])
})

test('the manifest of the built console names every chunk that the gateway serves', () => {
  const built = join(root, 'packages', 'console', 'dist')
  cpSync(built, deploy('built'), { recursive: true })
  const own = deploy('next')
  add('built', own)
  expect(chunksIn(own)).toEqual(chunksIn(built))
})
