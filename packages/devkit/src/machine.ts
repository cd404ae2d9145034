/** What this machine offers: programs, an unprivileged user, directories that user can reach. */
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
    return false // not there, or not ours to run
  }
}

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** PostgreSQL refuses to run as root. Undefined: we are not root and stay who we are. */
export function unprivilegedUser(): User | undefined {
  if (!isRoot()) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const wanted of ['postgres', 'nobody']) {
    const found = users.find(([name]) => name === wanted)
    if (found !== undefined) return { name: wanted, uid: Number(found[2]), gid: Number(found[3]) }
  }
  throw new UserError('PostgreSQL refuses to run as root, and this machine has neither a user "postgres" nor "nobody".')
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
 * A directory for `user` that only they can enter: `preferred`, or, when that lies below a directory closed to them (a clone in
 * /root), one below the machine's temporary directory whose name follows from the checkout's path.
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
    throw new UserError(`${directory} belongs to somebody else. Move it away and try again.`)
  if (user !== undefined) chownSync(directory, user.uid, user.gid)
  return directory
}

/** Where things go that must lie outside a closed checkout. */
export function elsewhere(preferred: string): string {
  return below(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), preferred)
}

const memory = { directory: '/dev/shm', tmpfs: 0x01021994 }

/** Where things go that need not outlive the machine's power. Undefined where there is no room in memory for that many bytes. */
export function inMemory(preferred: string, bytes: number): string | undefined {
  if (!existsSync(memory.directory) || freemem() < bytes) return undefined
  const { type, bavail, bsize } = statfsSync(memory.directory)
  return type === memory.tmpfs && bavail * bsize >= bytes ? below(memory.directory, preferred) : undefined
}

/** Its name follows from the checkout's path. */
function below(base: string, preferred: string): string {
  const key = createHash('sha256').update(root).digest('hex').slice(0, 12)
  return join(base, `payment-service-${key}`, preferred.slice(root.length))
}
