/** npm test: servers, programs that tests need, jest beside verify, and one line of counts at the end. */
import { randomInt } from 'node:crypto'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inMemory } from '../machine/machine.ts'
import { choosePorts } from '../machine/ports.ts'
import { compileCache, type Environment, type Profile, profile, root } from '../machine/profile.ts'
import { formatError, UserError } from '../machine/user-error.ts'
import { asOwner, Interrupted, withGroup } from '../processes/ownership.ts'
import type { ProcessGroup } from '../processes/process-group.ts'
import { provideProgram } from '../programs/apt.ts'
import { provideChromium } from '../programs/chromium.ts'
import { providePromtool } from '../programs/promtool.ts'
import { withClient } from '../servers/databases.ts'
import { type Provisioned, provisionForTests, serverPorts } from '../servers/provision.ts'
import { readMarker } from './markers.ts'

/** The checks of scripts/tests/verify.mjs. Those that are tests are among the tests. */
const besideTests = ['build', 'types', 'boundaries', 'dead', 'format', 'openapi']
/** It reads the types of every file, which takes as long as the others together. */
const withRest = ['lint']

const progress = (line: string) => console.log(`• ${line}`)

type Command = readonly [command: string, args: readonly string[]]

/**
 * Returns the exit code. Without names of files, every test file without `@slow` runs, beside the checks
 * of `verify` but lint; with `--all`, these too. `--all --rest` runs what a run without names leaves out, the files of
 * the shared platform again, in another order, and the contract suites with hostile texts. With names, only these
 * files run, without checks; `--shared-platform` names the files of the shared platform. The order of the files is
 * random, or the order of `--seed <number>`.
 */
export async function runTests(given: readonly string[], verify: Command): Promise<number> {
  const { seed, isAll, isRest, args } = readArguments(given)
  const work = async (group: ProcessGroup, provisioned: Promise<Provisioned>) => {
    const isWhole = args.length === 0
    const checks = [...(isWhole ? besideTests : []), ...(isRest || (isWhole && isAll) ? withRest : [])]
    const browser = provideChromium(progress).catch((error: unknown) => {
      // Some tests need no browser. Those that do fail with the same message.
      if (isWhole) throw error
      progress(formatError(error))
    })
    // The tests that need these programs say when they did not run.
    const optional = [
      providePromtool(progress),
      provideProgram('go', 'golang-go', progress),
      provideProgram('pgbouncer', 'pgbouncer', progress),
    ].map((provided) => provided.catch((error: unknown) => progress(formatError(error))))
    const ready = Promise.all([provisioned, browser, ...optional])
    const leftOut = isWhole && !isAll ? slowFiles() : []
    const env = { TESTS_LEFT_OUT: leftOut.join(','), ...(isAll ? { TEST_HOSTILE_TEXTS: 'yes' } : {}) }
    const testing = ready.then(([servers]) => runJest(group, servers, [`--seed=${seed}`, ...args], env))
    const [verified, tests] = await Promise.all([checks.length === 0 || runChecks(group, verify, checks), testing])
    const passed = tests.passed + (checks.length > 0 && verified ? 1 : 0)
    const failed = tests.failed + (verified ? 0 : 1)
    if (!verified) console.log(`\n${checkResults()}`)
    console.log(`\nThe order of the files: --seed ${seed}`)
    if (leftOut.length > 0) console.log(`\nLeft to npm run test:all (@slow): ${leftOut.join(', ')}`)
    console.log(`\n${passed} passed, ${failed} failed`)
    return failed === 0 ? 0 : 1
  }
  return inMemoryProfile((own, onAcquired) => withTestServers(own, 'npm test', work, onAcquired))
}

/** The servers of the environment, or of the profile `test` on the disk. */
export function onTestServers(command: string, work: (servers: Provisioned) => Promise<number>): Promise<number> {
  return withTestServers(profile('test'), command, async (_group, provisioned) => work(await provisioned))
}

/**
 * The servers of the benches: from the environment, else of the profile `test`, with data on the disk and as
 * durable as in production. A private PostgreSQL counts statements. Prints what a commit waits for.
 */
export function onBenchServers(command: string, work: (servers: Provisioned) => Promise<number>): Promise<number> {
  const own = { ...profile('test'), isDurable: true, countsStatements: true }
  return withTestServers(own, command, async (_group, provisioned) => {
    const servers = await provisioned
    progress(await describeDurability(servers.databaseUrl))
    return work(servers)
  })
}

const durabilitySettings = ['fsync', 'synchronous_commit', 'full_page_writes']

function describeDurability(databaseUrl: string): Promise<string> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string; setting: string }>(
      'SELECT name, setting FROM pg_settings WHERE name = ANY($1) ORDER BY name',
      [durabilitySettings],
    )
    const isDurable = rows.every(({ setting }) => setting === 'on')
    const shown = rows.map(({ name, setting }) => `${name}=${setting}`).join(' ')
    return `PostgreSQL ${shown}${isDurable ? '' : ': not durable, so no figure for a document'}`
  })
}

/** `work` starts while the servers are being provisioned. */
function withTestServers(
  own: Profile,
  command: string,
  work: (group: ProcessGroup, provisioned: Promise<Provisioned>) => Promise<number>,
  onAcquired: () => Promise<void> = async () => {},
): Promise<number> {
  const { TEST_DATABASE_URL: databaseUrl, TEST_AMQP_URL: amqpUrl } = process.env
  if (databaseUrl && amqpUrl) return withGroup((group) => work(group, Promise.resolve({ databaseUrl, amqpUrl })))
  let listening = own
  return asOwner(
    own,
    command,
    (group) => work(group, provisionForTests(listening, group, progress)),
    async () => {
      await onAcquired()
      listening = await withFreePorts(own)
    },
  )
}

/** The servers of another checkout may have the ports of the profile. */
async function withFreePorts(own: Profile): Promise<Profile> {
  const env = await choosePorts(process.env, await serverPorts(own, process.env), { say: progress })
  const { postgres, rabbitmq } = profile(own.name, env)
  return { ...own, postgres, rabbitmq }
}

/** jest takes seeds of 32 bits. */
const seedMax = 2 ** 31 - 1

interface Arguments {
  readonly seed: number
  readonly isAll: boolean
  readonly isRest: boolean
  readonly args: readonly string[]
}

/** Throws UserError for a seed that is not a number. */
function readArguments(given: readonly string[]): Arguments {
  const at = given.findIndex((arg) => arg === '--seed' || arg.startsWith('--seed='))
  const isNext = given[at] === '--seed'
  const text = at === -1 ? String(randomInt(seedMax)) : isNext ? given[at + 1] : given[at]?.slice('--seed='.length)
  if (text === undefined || !/^\d{1,10}$/.test(text) || Number(text) > seedMax) {
    throw new UserError(`--seed needs a number from 0 to ${seedMax}.`)
  }
  const others = at === -1 ? given : given.filter((_, index) => index !== at && !(isNext && index === at + 1))
  const isAll = others[0] === '--all'
  const named = (isAll ? others.slice(1) : others).flatMap((arg) => filesOfFlag[arg]?.() ?? [arg])
  return { seed: Number(text), isAll, isRest: others.includes('--rest'), args: [...new Set(named)] }
}

const filesOfFlag: Readonly<Record<string, () => readonly string[]>> = {
  '--shared-platform': () => filesThatImport('/shared-platform'),
  // The contract suites send hostile texts with `--all`.
  '--rest': () => [...slowFiles(), ...filesThatImport('/shared-platform'), ...filesThatImport('/suites/bad-input')],
}

function filesThatImport(module: string): readonly string[] {
  return testFiles().filter((file) => readFileSync(join(root, file), 'utf8').includes(`${module}'`))
}

/** The test files whose first comment says `@slow` with the reason: they take minutes, a browser or a platform. */
export function slowFiles(): readonly string[] {
  return testFiles().filter((file) => readMarker(join(root, file), '@slow') !== null)
}

const testFiles = (): string[] =>
  globSync('{test,services/*/test,packages/*/test,gateway/test}/**/*.test.ts', { cwd: root }).sort()

const memoryBytes = 6 * 2 ** 30

/**
 * The profile `test`, with the data of its servers in memory when there is enough: cloning a database takes a tenth of
 * the time. The memory is released at the end; after a kill -9, the next run erases the data. A run that has not
 * claimed the profile erases nothing: the data belong to the run in progress.
 */
async function inMemoryProfile<T>(work: (own: Profile, onAcquired: () => Promise<void>) => Promise<T>): Promise<T> {
  const own = profile('test')
  const serverData = inMemory(own.directory, memoryBytes)
  let isOwner = false
  const onAcquired = async () => {
    isOwner = true
  }
  if (serverData === undefined) return work(own, onAcquired)
  try {
    return await work({ ...own, serverData }, onAcquired)
  } finally {
    if (isOwner) rmSync(serverData, { recursive: true, force: true })
  }
}

/** Runs the servers of the profile `test` for repeated runs of tests. */
export async function keepServers(): Promise<number> {
  try {
    const keep = async (_group: ProcessGroup, provisioned: Promise<Provisioned>) => {
      const { databaseUrl, amqpUrl } = await provisioned
      console.log(`export TEST_DATABASE_URL='${databaseUrl}' TEST_AMQP_URL='${amqpUrl}'`)
      return new Promise<number>(() => setInterval(() => {}, 60_000))
    }
    return await inMemoryProfile((own, onAcquired) => withTestServers(own, 'npm test -- --servers', keep, onAcquired))
  } catch (error) {
    if (error instanceof Interrupted) return 0
    throw error
  }
}

const checkLog = join(root, '.data', 'test', 'verify.log')

/** Runs the checks, which the tests do not wait for, and prints their output whole at their end. */
async function runChecks(group: ProcessGroup, [command, args]: Command, checks: readonly string[]): Promise<boolean> {
  rmSync(checkLog, { force: true })
  const passed = await runToSuccess(group, 'verify', [command, [...args, ...checks]], process.env, checkLog)
  console.log(`\n${checkResults()}\n`)
  return passed
}

const checkResults = () => readFileSync(checkLog, 'utf8').trimEnd()

/** With a log file, the output goes there. */
async function runToSuccess(
  group: ProcessGroup,
  name: string,
  [command, args]: Command,
  env: Environment,
  logFile?: string,
): Promise<boolean> {
  const child = group.launch({ name, command, args, env, ...(logFile === undefined ? {} : { logFile }) })
  const { code, signal } = await child.exited
  // A run that a signal ended has no result to count.
  if (signal !== null) throw new UserError(`${name} was ended by ${signal}.`)
  return code === 0
}

interface Tests {
  readonly passed: number
  readonly failed: number
}

async function runJest(
  group: ProcessGroup,
  servers: Provisioned,
  args: readonly string[],
  own: Environment,
): Promise<Tests> {
  // A command that reads the results of each test names the file, and deletes it.
  const { TEST_RESULTS: stored } = process.env
  const results = stored ?? join(root, '.data', 'test', `jest-${process.pid}.json`)
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js')
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
  const env = {
    ...process.env,
    TEST_DATABASE_URL: servers.databaseUrl,
    TEST_AMQP_URL: servers.amqpUrl,
    ...own,
    // Coverage needs code that was compiled for it.
    ...(args.includes('--coverage') ? {} : compileCache),
  }
  const command: Command = [process.execPath, [...node, jest, ...args, '--json', `--outputFile=${results}`]]
  const exitedWell = await runToSuccess(group, 'jest', command, env)
  if (!existsSync(results)) return { passed: 0, failed: 1 }
  const counts = JSON.parse(readFileSync(results, 'utf8')) as {
    numPassedTests: number
    numFailedTests: number
    numRuntimeErrorTestSuites: number
  }
  if (stored === undefined) rmSync(results)
  // A test file that does not load has no failed test. Nor has a run that a reporter fails (cpu-report.ts).
  const failed = counts.numFailedTests + counts.numRuntimeErrorTestSuites
  return { passed: counts.numPassedTests, failed: exitedWell ? failed : Math.max(failed, 1) }
}
