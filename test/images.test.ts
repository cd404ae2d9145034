import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { imagesToBuild } from '@payments/devkit/images/images'
import { root } from '@payments/devkit/machine/profile'

/** The Dockerfile names stages, packages and scripts that exist. built-images.test.ts builds the images. */
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
const lines = dockerfile.split('\n')
const namedAfter = (form: RegExp) => lines.flatMap((line) => form.exec(line)?.[1] ?? [])

test('each stage and each package that is built exists', () => {
  const stages = namedAfter(/^FROM \S+ AS (\S+)$/)
  const targets = imagesToBuild.flatMap(({ args }) => (args[0] === '--target' ? [args[1]] : []))
  const packages = imagesToBuild.flatMap(({ args }) => args.flatMap((arg) => /^SERVICE=(.+)$/.exec(arg)?.[1] ?? []))
  expect(stages).toEqual(expect.arrayContaining([...targets, ...namedAfter(/^COPY --from=(\S+)/)]))
  expect(packages.filter((name) => !existsSync(join(root, name, 'package.json')))).toEqual([])
  expect([targets.length, packages.length]).toEqual([1, 3])
})

test('each script that a stage runs exists, and each program of an image is built from a source', () => {
  const scripts = namedAfter(/^RUN node (scripts\/\S+)/)
  expect(scripts.filter((script) => !existsSync(join(root, script)))).toEqual([])
  expect(scripts.length).toBeGreaterThan(1)
  const source = 'packages/devkit/src/migrations/migrate-main.ts'
  expect([dockerfile.includes('dist/migrations/migrate-main.js'), existsSync(join(root, source))]).toEqual([true, true])
})

test('the base images can be passed by digest, and the query compilers of other databases are removed', () => {
  expect(namedAfter(/^ARG (\w+_IMAGE)=/)).toEqual(['BUILD_IMAGE', 'RUNTIME_IMAGE'])
  expect(namedAfter(/^FROM (\$\{\w+\})/)).toEqual(
    expect.arrayContaining(['$' + '{BUILD_IMAGE}', '$' + '{RUNTIME_IMAGE}', '$' + '{PREVIOUS_GATEWAY}']),
  )
  expect(dockerfile).toContain("-name 'query_compiler_*' ! -name '*.postgresql.*' -delete")
})
