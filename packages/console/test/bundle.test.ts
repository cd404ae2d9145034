import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'

/** The size of what a browser loads, by the manifest of the build. */
const directory = join(import.meta.dirname, '..', 'dist')

interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly isDynamicEntry?: boolean
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
}

const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8')) as Record<string, Chunk>
const chunks = Object.entries(manifest)
const entry = chunks.find(([, { isEntry }]) => isEntry === true)?.[0] ?? ''
const styles = readFileSync(join(directory, 'index.html'), 'utf8').match(/assets\/[\w-]+\.css/g) ?? []

/** The chunk and everything that it imports. */
function listFiles(name: string, seen = new Set<string>()): Set<string> {
  const chunk = manifest[name]
  if (chunk === undefined || seen.has(chunk.file)) return seen
  seen.add(chunk.file)
  for (const imported of chunk.imports ?? []) listFiles(imported, seen)
  return seen
}

const gzipped = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(directory, file)), { level: 9 }).length, 0)

const pages = chunks.filter(([, { isDynamicEntry }]) => isDynamicEntry === true).map(([name]) => name)
const shared = new Set([...listFiles(entry), ...styles])

test.each(pages)('%s loads at most 150 kB, 25 kB of its own, with at most 6 requests', (name) => {
  const all = new Set([...shared, ...listFiles(name)])
  const own = [...listFiles(name)].filter((file) => !shared.has(file))
  // The shell is a request too.
  const load = { ofAll: gzipped(all), ofPage: gzipped(own), requests: all.size + 1 }
  expect(load.ofAll).toBeLessThanOrEqual(150_000)
  expect(load.ofPage).toBeLessThanOrEqual(25_000)
  expect(load.requests).toBeLessThanOrEqual(6)
})

test('every page of the console is a chunk of its own, and there is one style sheet', () => {
  expect(pages.length).toBeGreaterThan(8)
  expect(styles).toHaveLength(1)
})

test('the shell has nothing inline, and loads from its own path only', () => {
  const shell = readFileSync(join(directory, 'index.html'), 'utf8')
  expect(shell).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|\sstyle=/)
  const addresses = [...shell.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, address]) => address)
  expect(addresses.length).toBeGreaterThan(2)
  // An empty one is the page itself.
  for (const address of addresses) expect(address).toMatch(/^(?:\/console\/.+)?$/)
})
