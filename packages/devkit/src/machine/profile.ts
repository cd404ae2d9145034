/**
 * A profile is a set of directory, ports and servers on this machine: `dev` for `npm start`, `test` for `npm test`.
 * The two can run at the same time.
 */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { portFrom } from './ports.ts'

export type ProfileName = 'dev' | 'test'
export type Environment = Readonly<Record<string, string | undefined>>

export interface Profile {
  readonly name: ProfileName
  readonly directory: string
  /** Parent directory of the data of PostgreSQL and RabbitMQ. */
  readonly serverData: string
  /** Whether a commit is on the disk before it is acknowledged. Tests need no disk. */
  readonly isDurable: boolean
  /** Whether PostgreSQL counts statements by pg_stat_statements, which costs each statement a little. */
  readonly countsStatements?: boolean
  readonly postgres: { readonly port: number; readonly variable: string }
  readonly rabbitmq: { readonly port: number; readonly variable: string }
}

/** The checkout: four levels above this file, both in `src/machine` and in `dist/machine`. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', '..')

/** A variable of Node: half of a start compiles JavaScript, and this directory caches the result. */
export const compileCache = { NODE_COMPILE_CACHE: join(root, '.data', 'compile-cache') }

export function profile(name: ProfileName, env: Environment = process.env): Profile {
  const directory = join(root, '.data', name)
  mkdirSync(directory, { recursive: true })
  const prefix = name === 'test' ? 'TEST_' : ''
  const defaults = name === 'test' ? { postgres: 22432, rabbitmq: 22672 } : { postgres: 21432, rabbitmq: 21672 }
  const port = (variable: string, fallback: number) => ({ variable, port: portFrom(env, variable, fallback) })
  return {
    name,
    directory,
    serverData: directory,
    isDurable: name !== 'test',
    postgres: port(`${prefix}POSTGRES_PORT`, defaults.postgres),
    rabbitmq: port(`${prefix}RABBITMQ_PORT`, defaults.rabbitmq),
  }
}
