import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Images are built as root, with mounts of their own, which a container may forbid. */
const mayMount = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0

/** Tests that need a program which npm test cannot install everywhere. Without the program they are left out. */
const needs = [
  { program: 'kubectl', tests: '/test/(manifests|manifest-schemas|workloads|network-policy)\\.test\\.ts$' },
  { program: 'pg_dump', tests: '/test/(restore|restored-platform)\\.test\\.ts$' },
  { program: mayMount ? 'apt-get' : 'the right to mount', tests: '/test/built-images\\.test\\.ts$' },
  // Machines with their servers in containers do not have it.
  { program: 'rabbitmq-server', tests: '/test/(deployed-platform|revocation-without-servers|quiet-logs)\\.test\\.ts$' },
]
const versioned = (parent, below) =>
  existsSync(parent) ? readdirSync(parent).map((version) => join(parent, version, below)) : []
const directories = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...versioned('/usr/lib/postgresql', 'bin'),
  ...versioned('/usr/lib/rabbitmq/lib', 'sbin'),
  '/opt/homebrew/sbin',
  '/usr/local/sbin',
]
const unavailable = needs.filter(({ program }) => !directories.some((one) => existsSync(join(one, program))))
for (const { program, tests } of unavailable) console.warn(`not run: ${tests}, which needs ${program}`)

/** The files that `npm test` leaves to `npm run test:all` (packages/devkit/src/tests/test-run.ts). */
const leftOut = (process.env.TESTS_LEFT_OUT ?? '').split(',').filter((file) => file !== '')

const runner = '<rootDir>/packages/testing/src/runner'

export default {
  // One set of modules per worker (packages/testing/src/runner).
  runner: `${runner}/runner.ts`,
  runtime: `${runner}/runtime.ts`,
  testEnvironment: `${runner}/environment.ts`,
  testRunner: `${runner}/cpu.ts`,
  transform: {},
  injectGlobals: false,
  reporters: ['default', `${runner}/cpu-report.ts`],
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  testMatch: ['**/test/**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/dist/',
    '/.data/',
    ...leftOut.map((file) => `<rootDir>/${file.replaceAll('.', '\\.')}$`),
    ...unavailable.map(({ tests }) => tests),
  ],
  modulePathIgnorePatterns: ['<rootDir>/.data/', '/dist/'],
  coverageProvider: 'v8',
  setupFilesAfterEnv: [`${runner}/every-test-asserts.ts`],
  testTimeout: 90_000,
  // More than half of the time of a file is waits for processes, deadlines and time windows: seven fill two cores.
  maxWorkers: 7,
  // Node never frees the modules of a test file. A worker whose heap is above this part of the memory is replaced
  // between two files. A new one loads all modules again, so the heaps of all may be half of the memory.
  workerIdleMemoryLimit: '7%',
}
