import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { root } from '@payments/devkit/machine/profile'
import { until } from '@payments/devkit/processes/process-group'
import { readStartTime } from '@payments/devkit/processes/process-table'
import { nodeRelease } from '@payments/testing/platform/node-release'

const [, version = ''] =
  /nodeVersion = '([\d.]+)'/.exec(readFileSync(join(root, 'scripts/bootstrap.mjs'), 'utf8')) ?? []

/** A project with the bootstrap and two scripts. */
let project: string
let old: string
beforeAll(async () => {
  old = await nodeRelease('18.20.8')
  project = mkdtempSync(join(tmpdir(), 'bootstrap-'))
  mkdirSync(join(project, 'scripts'))
  for (const file of ['scripts/bootstrap.mjs', 'scripts/processes.mjs', 'package.json'])
    cpSync(join(root, file), join(project, file))
  writeFileSync(
    join(project, 'scripts/print.mjs'),
    `import { execFileSync } from 'node:child_process'
     import { run } from './bootstrap.mjs'
     await run(async () => {
       if (process.argv.includes('handle')) process.once('SIGTERM', () => process.exit(9))
       console.log(process.version, String(execFileSync('node', ['--version'])).trim(), ...process.argv.slice(2))
       if (!process.argv.includes('wait')) return 7
       return new Promise(() => setInterval(() => {}, 1_000))
     })`,
  )
  writeFileSync(
    join(project, 'scripts/launch.mjs'),
    `import { run } from './bootstrap.mjs'
     import { endingBySignals, visibly } from './processes.mjs'
     await run(() => endingBySignals(() => visibly('sh', ['-c', 'sleep 600 & echo $!; wait'])))`,
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

/** Resolves with what it prints first. */
const firstOutput = (child: ChildProcess) =>
  new Promise<string>((printed) => child.stdout?.once('data', (chunk: Buffer) => printed(chunk.toString())))
const exitCode = (child: ChildProcess) => new Promise((exited) => child.once('exit', exited))

test.each([
  ['handles it: its exit code', ['handle', 'wait'], 9],
  ['ends by it: 128 and the number of the signal', ['wait'], 143],
])(
  'a signal reaches the script, and the caller of a script that %s',
  async (_, args, code) => {
    const child = spawn(old, [script(), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    await firstOutput(child)
    child.kill('SIGTERM')
    expect(await exitCode(child)).toBe(code)
  },
  300_000,
)

const launcher = () => join(project, 'scripts/launch.mjs')

test('a signal ends the child of a script and what the child started, then the script', async () => {
  const child = spawn(process.execPath, [launcher()], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = Number(await firstOutput(child))
  expect(readStartTime(pid)).toBeDefined()
  child.kill('SIGTERM')
  expect(await exitCode(child)).toBe(143)
  expect(readStartTime(pid)).toBeUndefined()
})

test('a script of npm ends with its shell, to which npm passes SIGTERM', async () => {
  const shell = spawn('sh', ['-c', `'${process.execPath}' '${launcher()}'; exit`], {
    env: { ...process.env, npm_lifecycle_event: 'test' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = Number(await firstOutput(shell))
  expect(readStartTime(pid)).toBeDefined()
  shell.kill('SIGTERM')
  expect(await until(() => readStartTime(pid) === undefined, 30_000)).toBe(true)
})
