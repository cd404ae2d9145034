/** Runs before the package is published. Exits with 1, and says what is missing. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * @param {{ version: string, license?: string, repository?: { url?: string } }} manifest
 * @param {string} changelog
 * @returns {string[]} what is missing
 */
export function listMissing(manifest, changelog) {
  const lacks = []
  if (!/^(git\+)?https:\/\//.test(manifest.repository?.url ?? ''))
    lacks.push('repository.url: where the source is public')
  if (manifest.license === undefined || manifest.license === 'UNLICENSED')
    lacks.push('license: by which tenants may use it')
  if (!changelog.includes(`\n## ${manifest.version}\n`)) lacks.push(`CHANGELOG.md: a section ${manifest.version}`)
  return lacks
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (file) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
  const missing = listMissing(JSON.parse(read('package.json')), read('CHANGELOG.md'))
  for (const lack of missing) console.error(`Not published. Missing: ${lack}`)
  process.exitCode = missing.length === 0 ? 0 : 1
}
