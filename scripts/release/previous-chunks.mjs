/**
 * node scripts/release/previous-chunks.mjs GATEWAY CONSOLE: adds the chunks of the previous release to a built console,
 * so that a page that was opened before a rollout finds its chunks after it. GATEWAY is the deployed gateway of that
 * release, CONSOLE the folder of the built console.
 *
 * The name of a chunk is the hash of its content, so no two releases collide. The chunks are in the manifest of
 * the previous release: what that release took from the one before it is left out. A gateway without a console, and an
 * empty folder, add nothing.
 */
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

const chunk = /^assets\/[\w-]+\.(?:js|css)$/

const [gateway, target] = process.argv.slice(2)
if (gateway === undefined || target === undefined) {
  console.error('Usage: node scripts/release/previous-chunks.mjs GATEWAY CONSOLE')
  process.exit(1)
}
const previous = findConsole(resolve(gateway))
const added = previous === undefined ? [] : listChunks(previous).filter((file) => !existsSync(join(target, file)))
for (const file of added) copyFileSync(join(previous, file), join(target, file))
console.log(`${added.length} chunks of the previous release were added`)

/** The folder of the built console; undefined where the gateway has none. */
function findConsole(folder) {
  try {
    const manifest = createRequire(join(folder, 'package.json')).resolve('@payments/console/package.json')
    return join(dirname(manifest), 'dist')
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/** Throws for a manifest that names any other file: the gateway serves only these types. */
function listChunks(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  const files = [...new Set(Object.values(manifest).map(({ file }) => file))]
  const other = files.find((file) => !chunk.test(file))
  if (other !== undefined) throw new Error(`the manifest of the previous release names ${other}, which is no chunk`)
  return files
}
