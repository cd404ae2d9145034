/** Facts about this machine: programs, an unprivileged user, directories that this user can reach. */
import { createHash } from 'node:crypto'
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { root } from './profile.ts'
import { UserError } from './user-error.ts'

export interface User {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** The first directory of `directories` that holds every one of `programs` as an executable. */
export function directoryWith(programs: readonly string[], directories: readonly string[]): string | undefined {
  return directories.find((directory) => programs.every((program) => isExecutable(join(directory, program))))
}

export function searchPath(): string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '')
}

export function find(program: string, more: readonly string[] = []): string | undefined {
  const directory = directoryWith([program], [...searchPath(), ...more])
  return directory === undefined ? undefined : join(directory, program)
}

/** `/usr/lib/x/<version>/bin` and the like, highest version first. */
export function versionedDirectories(parent: string, below = ''): string[] {
  if (!existsSync(parent)) return []
  const byNumber = (a: string, b: string) => b.localeCompare(a, 'en', { numeric: true })
  return readdirSync(parent)
    .sort(byNumber)
    .map((entry) => join(parent, entry, below))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false // missing, or not executable for this user
  }
}

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Returns an unprivileged user, because PostgreSQL does not run as root. Undefined when this process is not root. */
export function unprivilegedUser(): User | undefined {
  if (!isRoot()) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const wanted of ['postgres', 'nobody']) {
    const found = users.find(([name]) => name === wanted)
    if (found !== undefined) return { name: wanted, uid: Number(found[2]), gid: Number(found[3]) }
  }
  throw new UserError('PostgreSQL does not run as root, and this machine has neither a user "postgres" nor "nobody".')
}

/** Whether `user` may pass through every directory down to `path`. */
export function canReach(user: User, path: string): boolean {
  for (let directory = path; ; directory = dirname(directory)) {
    const { mode, uid, gid } = statSync(directory)
    const needed = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
    if ((mode & needed) === 0) return false
    if (directory === dirname(directory)) return true
  }
}

/**
 * Creates a directory that only `user` can enter: `preferred`, or a directory below the temporary directory of the
 * machine when `user` cannot reach `preferred` (a clone in /root). The name of the latter depends on the path of the
 * checkout.
 */
export function privateDirectory(user: User | undefined, preferred: string): string {
  const parent = dirname(preferred)
  mkdirSync(parent, { recursive: true })
  const directory = user === undefined || canReach(user, parent) ? preferred : elsewhere(preferred)
  mkdirSync(dirname(directory), { recursive: true, mode: 0o711 })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const entry = lstatSync(directory)
  const mayOwn = user === undefined ? [process.getuid?.() ?? entry.uid] : [0, user.uid]
  if (!entry.isDirectory() || !mayOwn.includes(entry.uid))
    throw new UserError(`${directory} belongs to another user. Move it away and try again.`)
  if (user !== undefined) chownSync(directory, user.uid, user.gid)
  return directory
}

/** A directory outside of a checkout that others cannot enter. */
export function elsewhere(preferred: string): string {
  return below(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), preferred)
}

const memory = { directory: '/dev/shm', tmpfs: 0x01021994 }

/** A directory in memory. Undefined when memory has less than `bytes` free. */
export function inMemory(preferred: string, bytes: number): string | undefined {
  if (!existsSync(memory.directory) || freemem() < bytes) return undefined
  const { type, bavail, bsize } = statfsSync(memory.directory)
  return type === memory.tmpfs && bavail * bsize >= bytes ? below(memory.directory, preferred) : undefined
}

/** The name depends on the path of the checkout. */
function below(base: string, preferred: string): string {
  const key = createHash('sha256').update(root).digest('hex').slice(0, 12)
  return join(base, `payment-service-${key}`, preferred.slice(root.length))
}
