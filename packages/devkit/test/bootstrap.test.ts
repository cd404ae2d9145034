import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { root } from '@payments/devkit/machine/profile'
import { nodeRelease } from '@payments/testing/platform/node-release'

const [, version = ''] =
  /nodeVersion = '([\d.]+)'/.exec(readFileSync(join(root, 'scripts/bootstrap.mjs'), 'utf8')) ?? []

/** A project with the bootstrap and one script. */
let project: string
let old: string
beforeAll(async () => {
  old = await nodeRelease('18.20.8')
  project = mkdtempSync(join(tmpdir(), 'bootstrap-'))
  mkdirSync(join(project, 'scripts'))
  cpSync(join(root, 'scripts/bootstrap.mjs'), join(project, 'scripts/bootstrap.mjs'))
  cpSync(join(root, 'package.json'), join(project, 'package.json'))
  writeFileSync(
    join(project, 'scripts/print.mjs'),
    `import { execFileSync } from 'node:child_process'
     import { run } from './bootstrap.mjs'
     await run(async () => {
       console.log(process.version, String(execFileSync('node', ['--version'])).trim(), ...process.argv.slice(2))
       if (!process.argv.includes('wait')) return 7
       process.once('SIGTERM', () => process.exit(9))
       return new Promise(() => setInterval(() => {}, 1_000))
     })`,
  )
}, 300_000)
afterAll(() => rmSync(project, { recursive: true, force: true }))

const script = () => join(project, 'scripts/print.mjs')

test('the version of Node has the major version of the images', () => {
  const [, major] = /^ARG RUNTIME_IMAGE=.*nodejs(\d+)/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? []
  expect(version.split('.')[0]).toBe(major)
})

test('with Node 18, a script runs with Node 24 from npm, as its children do, and says so once', async () => {
  const run = () =>
    new Promise<[code: unknown, stdout: string, stderr: string]>((done) => {
      execFile(old, [script(), 'one', 'two words'], (error, stdout, stderr) => done([error?.code, stdout, stderr]))
    })
  const printed = `v${version} v${version} one two words\n`
  expect(await run()).toEqual([7, printed, `Node 18.20.8 is too old: npm fetches Node ${version}\n`])
  expect(await run()).toEqual([7, printed, ''])
}, 300_000)

test('a signal reaches the script, and its exit code the caller', async () => {
  const child = spawn(old, [script(), 'wait'], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((printed) => child.stdout.once('data', printed))
  child.kill('SIGTERM')
  const code = await new Promise((exited) => child.once('exit', exited))
  expect(code).toBe(9)
}, 300_000)
