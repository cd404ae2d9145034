/**
 * Pins the images of overlays to the digests that were pushed: a tag can be moved to another image, a digest cannot.
 * Reads references from standard input, one a line, such as `registry.example.com/payments/rbac@sha256:…`, and writes
 * the list `images` of each folder. Writes nothing unless every image of every folder has one reference.
 *
 *   docker inspect --format '{{index .RepoDigests 0}}' IMAGE… |
 *     node scripts/release/pin-images.mjs k8s/overlays/prod k8s/payctl
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const reference = /^(?<newName>\S+\/(?<name>payments\/[a-z-]+))@(?<digest>sha256:[0-9a-f]{64})$/

function fail(message) {
  console.error(message)
  process.exit(1)
}

/** By name of the image: `payments/rbac`. */
function readReferences() {
  const images = new Map()
  for (const line of readFileSync(0, 'utf8')
    .trim()
    .split(/\s*\n\s*/)) {
    const found = reference.exec(line)?.groups
    if (found === undefined) fail(`not a reference such as REGISTRY/payments/NAME@sha256:…: "${line}"`)
    if (images.has(found.name)) fail(`two references to ${found.name}`)
    images.set(found.name, found)
  }
  return images
}

const formatEntry = ({ name, newName, digest }) => `  - { name: ${name}, newName: ${newName}, digest: "${digest}" }\n`

/** The names of the images that a folder runs. */
function namesIn(folder) {
  const rendered = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  return [...new Set([...rendered.matchAll(/image: "?\S*?(payments\/[a-z-]+)[:@]/g)].map(([, name]) => name))].sort()
}

const folders = process.argv.slice(2).map((folder) => resolve(folder))
if (folders.length === 0) fail('Usage: node scripts/release/pin-images.mjs FOLDER…, with references on standard input')
const references = readReferences()
const wanted = folders.map((folder) => [folder, namesIn(folder)])
const missing = wanted.flatMap(([, names]) => names).filter((name) => !references.has(name))
if (missing.length > 0) fail(`no reference to ${[...new Set(missing)].join(', ')}`)
for (const [folder, names] of wanted) {
  const file = join(folder, 'kustomization.yaml')
  const entries = names.map((name) => references.get(name)).map(formatEntry)
  // Everything else in the file stays as it was written.
  const others = readFileSync(file, 'utf8').replace(/^images:\n(?: .*\n)*/m, '')
  writeFileSync(file, `${others}images:\n${entries.join('')}`)
  console.log(`${file}: ${names.length} images pinned`)
}
