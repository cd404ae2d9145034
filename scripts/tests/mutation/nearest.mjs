/**
 * The tests near a file of code: the tests that import the file or have its name, then the tests of the files that
 * use it. So a store is tested by the tests of its verbs, and a package by the tests of the services that import it.
 */
import { readFileSync } from 'node:fs'
import { basename, dirname, join, matchesGlob, posix } from 'node:path'
import { parse } from 'yaml'

/** Through these files everything uses everything. */
const hubs =
  /\/(?:src\/(?:\w+\/)?(?:main|app|routes|jobs|consumers|deps|start)|test\/[\w-]*world|test\/(?!.*\.test)[\w-]+)\.ts$/
const specifiers = /(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g
const distanceMax = 4
const fastMax = 4
const slowMax = 8

/** The files with code of every folder of the workspace, without what is generated. */
export function codeFiles(root, files) {
  const { packages } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'))
  return files.filter(
    (file) => packages.some((folder) => matchesGlob(file, `${folder}/src/**/*.ts`)) && !file.includes('/generated/'),
  )
}

/**
 * The `fast` tests run first and kill most mutants; the `slow` tests run for the survivors.
 * @returns {(file: string) => { fast: string[], slow: string[] }}
 */
export function nearestTests(root, files) {
  const known = new Set(files.filter((file) => file.endsWith('.ts')))
  const packages = listPackages(root, files)
  const importers = new Map()
  for (const file of known) {
    for (const [, specifier] of readFileSync(join(root, file), 'utf8').matchAll(specifiers)) {
      const target = resolved(file, specifier, packages)
      if (known.has(target)) importers.set(target, [...(importers.get(target) ?? []), file])
    }
  }
  return (file) => {
    const found = testsByDistance(file, importers, known)
    const tests =
      found.length > 0 ? found : files.filter((one) => isTest(one) && one.startsWith(`${packageFolder(file)}/`))
    return { fast: tests.slice(0, fastMax), slow: tests.slice(fastMax, fastMax + slowMax) }
  }
}

/** The name of each package of the workspace, with its folder. */
function listPackages(root, files) {
  const manifests = files.filter((file) => /^(?:[\w-]+\/){1,2}package\.json$/.test(file))
  return new Map(manifests.map((file) => [JSON.parse(readFileSync(join(root, file), 'utf8')).name, dirname(file)]))
}

function resolved(file, specifier, packages) {
  if (specifier.startsWith('.')) return posix.join(dirname(file), specifier)
  if (specifier.startsWith('#gateway/')) return `gateway/src/${specifier.slice('#gateway/'.length)}.ts`
  if (specifier.startsWith('#webhooks/')) return `services/webhooks/src/${specifier.slice('#webhooks/'.length)}.ts`
  const [scope, name, ...path] = specifier.split('/')
  const folder = packages.get(`${scope}/${name}`)
  return folder === undefined ? undefined : `${folder}/src/${path.join('/')}.ts`
}

const isTest = (file) => file.endsWith('.test.ts')
const packageFolder = (file) => file.slice(0, file.indexOf('/src/'))

function testsByDistance(file, importers, known) {
  const tests = new Set()
  const seen = new Set([file])
  let ring = [file]
  for (let distance = 0; distance < distanceMax && ring.length > 0; distance++) {
    for (const one of ring) {
      const namesake = `${packageFolder(one)}/test/${basename(one, '.ts')}.test.ts`
      if (known.has(namesake)) tests.add(namesake)
    }
    const next = ring.flatMap((one) => importers.get(one) ?? [])
    for (const one of next) if (isTest(one)) tests.add(one)
    ring = [...new Set(next)].filter((one) => !seen.has(one) && !isTest(one) && !hubs.test(one))
    for (const one of ring) seen.add(one)
  }
  return [...tests]
}
