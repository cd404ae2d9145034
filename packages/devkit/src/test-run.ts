/** npm test: servers, verify, jest, and one line of counts at the end. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inMemory } from './machine.ts'
import { asOwner, Interrupted } from './ownership.ts'
import { type ProcessGroup, processGroup } from './process-group.ts'
import { type Environment, type Profile, profile, root } from './profile.ts'
import { type Provisioned, provisionForTests } from './provision.ts'
import { UserError } from './user-error.ts'

const progress = (line: string) => console.log(`• ${line}`)

type Command = readonly [command: string, args: readonly string[]]

/** Returns the exit code. With `args`, only the tests that they name run, without verify. */
export async function runTests(args: readonly string[], verify: Command): Promise<number> {
  const work = async (group: ProcessGroup, provisioned: Promise<Provisioned>) => {
    const all = args.length === 0
    const verification = all ? runVisibly(group, 'verify', verify, process.env) : true
    const [servers, verified] = await Promise.all([provisioned, verification])
    const tests = await runJest(group, servers, args)
    const passed = tests.passed + (all && verified ? 1 : 0)
    const failed = tests.failed + (verified ? 0 : 1)
    if (!verified) console.log('\nverify failed: see above')
    console.log(`\n${passed} passed, ${failed} failed`)
    return failed === 0 && tests.ok ? 0 : 1
  }
  return inMemoryProfile((own) => withTestServers(own, 'npm test', work))
}

/** The servers of the benches: those of the environment, else those of the profile, with data on the disk. */
export function onTestServers(command: string, work: (servers: Provisioned) => Promise<number>): Promise<number> {
  return withTestServers(profile('test'), command, async (_group, provisioned) => work(await provisioned))
}

/** `work` starts while the servers are being provisioned. */
function withTestServers(
  own: Profile,
  command: string,
  work: (group: ProcessGroup, provisioned: Promise<Provisioned>) => Promise<number>,
): Promise<number> {
  const { TEST_DATABASE_URL: databaseUrl, TEST_AMQP_URL: amqpUrl } = process.env
  if (databaseUrl && amqpUrl) {
    const group = processGroup()
    return work(group, Promise.resolve({ databaseUrl, amqpUrl })).finally(() => group.close())
  }
  return asOwner(own, command, (group) => work(group, provisionForTests(own, group, progress)))
}

const memoryBytes = 6 * 2 ** 30

/**
 * The profile `test`, with the data of its servers in memory when there is enough: cloning a database takes a tenth of
 * the time. The memory is released at the end; after a kill -9, the next run erases the data.
 */
async function inMemoryProfile<T>(work: (own: Profile) => Promise<T>): Promise<T> {
  const own = profile('test')
  const serverData = inMemory(own.directory, memoryBytes)
  if (serverData === undefined) return work(own)
  try {
    return await work({ ...own, serverData })
  } finally {
    rmSync(serverData, { recursive: true, force: true })
  }
}

/** Runs the servers of the profile `test` for repeated runs of tests. */
export async function keepServers(): Promise<number> {
  try {
    return await inMemoryProfile((own) =>
      asOwner(own, 'npm test -- --servers', async (group) => {
        const { databaseUrl, amqpUrl } = await provisionForTests(own, group, progress)
        console.log(`export TEST_DATABASE_URL='${databaseUrl}' TEST_AMQP_URL='${amqpUrl}'`)
        return new Promise<number>(() => setInterval(() => {}, 60_000))
      }),
    )
  } catch (error) {
    if (error instanceof Interrupted) return 0
    throw error
  }
}

async function runVisibly(
  group: ProcessGroup,
  name: string,
  [command, args]: Command,
  env: Environment,
): Promise<boolean> {
  const child = group.launch({ name, command, args, env })
  const { code, signal } = await child.exited
  // A run that a signal ended has no result to count.
  if (signal !== null) throw new UserError(`${name} was ended by ${signal}.`)
  return code === 0
}

async function runJest(group: ProcessGroup, servers: Provisioned, args: readonly string[]) {
  const results = join(root, '.data', 'test', `jest-${process.pid}.json`)
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js')
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
  const env = { ...process.env, TEST_DATABASE_URL: servers.databaseUrl, TEST_AMQP_URL: servers.amqpUrl }
  const command: Command = [process.execPath, [...node, jest, ...args, '--json', `--outputFile=${results}`]]
  const exitedWell = await runVisibly(group, 'jest', command, env)
  if (!existsSync(results)) return { passed: 0, failed: 1, ok: false }
  const counts = JSON.parse(readFileSync(results, 'utf8')) as {
    numPassedTests: number
    numFailedTests: number
    numRuntimeErrorTestSuites: number
  }
  rmSync(results)
  // A test file that does not load has no failed test, but the file has failed.
  return {
    passed: counts.numPassedTests,
    failed: counts.numFailedTests + counts.numRuntimeErrorTestSuites,
    ok: exitedWell,
  }
}
