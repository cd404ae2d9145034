/** A real PgBouncer in front of one database, in transaction mode. */
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unprivilegedUser } from '@payments/devkit/machine/machine'
import { freePorts, isFree } from '@payments/devkit/machine/ports'
import { until } from '../services/until.ts'

export interface Pgbouncer {
  /** The URL of the database behind PgBouncer. */
  readonly url: string
  stop(): Promise<void>
}

/** All clients share `sessionsMax` sessions of `databaseUrl`. */
export async function startPgbouncer(
  program: string,
  databaseUrl: string,
  { sessionsMax, preparedStatementsMax }: { sessionsMax: number; preparedStatementsMax?: number },
): Promise<Pgbouncer> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const database = pathname.slice(1)
  const [ownPort = 0] = await freePorts(1)
  const user = unprivilegedUser()
  const directory = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  const file = join(directory, 'pgbouncer.ini')
  const server = [
    `host=${hostname}`,
    `port=${port === '' ? 5432 : port}`,
    `dbname=${database}`,
    `user=${username}`,
    ...(password === '' ? [] : [`password=${decodeURIComponent(password)}`]),
  ]
  const settings = [
    '[databases]',
    `${database} = ${server.join(' ')}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${ownPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${sessionsMax}`,
    'ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout',
    ...(preparedStatementsMax === undefined ? [] : [`max_prepared_statements = ${preparedStatementsMax}`]),
  ]
  writeFileSync(file, `${settings.join('\n')}\n`, { mode: 0o600 })
  if (user !== undefined) for (const path of [directory, file]) chownSync(path, user.uid, user.gid)
  const identity = user === undefined ? {} : { uid: user.uid, gid: user.gid }
  const child = spawn(program, ['-q', file], { ...identity, cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer exited with ${child.exitCode}`)
    return !(await isFree(ownPort))
  })
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(ownPort)
  return {
    url: url.href,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Major and minor version. Since 1.21, a pooler in transaction mode knows prepared statements. */
export function pgbouncerVersion(program: string): readonly [major: number, minor: number] {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? []
  if (major === undefined) throw new Error(`pgbouncer --version prints ${stdout}`)
  return [Number(major), Number(minor)]
}
