/**
 * **What it does.** Applies the migrations of a service (`deploy`) and lists them (`status`). `_prisma_migrations` gets
 * the same rows as from the command line of Prisma.
 *
 * **Guarantees.** A migration runs once, in the order of names. Concurrent deploys wait for each other. An error names
 * the failed migration with the message of the server, and no later migration runs. A script and its record are one
 * transaction, so a failed or killed migration changes nothing and the next deploy tries it again. After a deploy,
 * other roles read the names and times of migrations and write nothing there.
 *
 * **Not guaranteed.** A script that commits by itself is not one transaction.
 */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { root } from '../machine/profile.ts'
import { formatError, UserError } from '../machine/user-error.ts'
import { type Service, withClient } from '../servers/databases.ts'

export interface Migrations {
  /** The name in messages. */
  readonly name: string
  readonly schemaFile: string
  readonly directory: string
}

export function locateMigrations(service: Service): Migrations {
  const prisma = join(root, 'services', service, 'prisma')
  return { name: service, schemaFile: join(prisma, 'schema.prisma'), directory: join(prisma, 'migrations') }
}

export function migrationNames(migrations: Migrations): string[] {
  if (!existsSync(migrations.directory)) return []
  return readdirSync(migrations.directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

export const readScript = ({ directory }: Migrations, name: string): string =>
  readFileSync(join(directory, name, 'migration.sql'), 'utf8')

const toChecksum = (script: string) => createHash('sha256').update(script).digest('hex')

/** Of the database: one deploy at a time. */
const deployLock = 7_236_001

/** Applies the missing migrations to the database, as its owner; returns their names. */
export async function deploy(migrations: Migrations, databaseUrl: string): Promise<string[]> {
  if (!existsSync(migrations.schemaFile))
    throw new UserError(`Service ${migrations.name} has no ${migrations.schemaFile}.`)
  return withClient(databaseUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [deployLock])
    await client.query(historySql)
    const { pending } = await readStatus(migrations, client)
    for (const name of pending) await apply(migrations, client, name)
    await protectHistory(client)
    return pending
  })
}

/** As the command line of Prisma creates it. */
const historySql = `CREATE TABLE IF NOT EXISTS public._prisma_migrations (
  id varchar(36) PRIMARY KEY NOT NULL, checksum varchar(64) NOT NULL, finished_at timestamptz,
  migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`

/** An earlier attempt, which failed, is marked as rolled back. */
async function apply(migrations: Migrations, client: pg.Client, name: string): Promise<void> {
  const script = readScript(migrations, name)
  const id = randomUUID()
  await client.query(
    `UPDATE public._prisma_migrations SET rolled_back_at = now()
     WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
    [name],
  )
  await client.query('INSERT INTO public._prisma_migrations (id, checksum, migration_name) VALUES ($1, $2, $3)', [
    id,
    toChecksum(script),
    name,
  ])
  // One simple query is one transaction: a crash leaves the script applied and recorded, or neither.
  const record = `UPDATE public._prisma_migrations SET finished_at = now(), applied_steps_count = 1 WHERE id = '${id}'`
  try {
    await client.query(`${script}\n;\n${record}`)
  } catch (cause) {
    const message = formatError(cause)
    await client.query('UPDATE public._prisma_migrations SET logs = $2 WHERE id = $1', [id, message])
    throw new UserError(`Service ${migrations.name}: migration ${name} failed: ${message}`, { cause })
  }
}

/** The columns that the readiness of a service reads (packages/chassis/src/database/database.ts). */
const readable = 'migration_name, finished_at, rolled_back_at'

/**
 * The default privileges of the owner give every new table to the role of the service. A service that could write its
 * history of migrations could hide a migration from the next deploy, or report a schema that it does not have.
 */
async function protectHistory(owner: pg.Client): Promise<void> {
  const { rows } = await owner.query<{ role: string }>(
    `SELECT DISTINCT grantee::regrole::text AS role FROM pg_class, aclexplode(relacl)
     WHERE pg_class.oid = to_regclass('public._prisma_migrations') AND grantee NOT IN (0, relowner)`,
  )
  const statements = rows.flatMap(({ role }) => [
    `REVOKE ALL ON public._prisma_migrations FROM ${role}`,
    `GRANT SELECT (${readable}) ON public._prisma_migrations TO ${role}`,
  ])
  await owner.query(['BEGIN', ...statements, 'COMMIT'].join(';\n'))
}

export interface Status {
  readonly present: readonly string[]
  /** Not applied, in the order in which a deploy applies them. */
  readonly pending: string[]
  /** Of the pending ones. */
  readonly failed: readonly string[]
  /** Changed since they were applied. */
  readonly edited: readonly string[]
}

export const status = (migrations: Migrations, databaseUrl: string): Promise<Status> =>
  withClient(databaseUrl, (client) => readStatus(migrations, client))

interface HistoryRow {
  readonly name: string
  readonly checksum: string
  readonly isFinished: boolean
}

async function readStatus(migrations: Migrations, client: pg.Client): Promise<Status> {
  const present = migrationNames(migrations)
  const { rows: found } = await client.query<{ table: string | null }>(
    `SELECT to_regclass('public._prisma_migrations')::text AS table`,
  )
  const { rows: history } =
    found[0]?.table === null
      ? { rows: [] }
      : await client.query<HistoryRow>(
          `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS "isFinished"
           FROM public._prisma_migrations WHERE rolled_back_at IS NULL`,
        )
  const applied = new Map(history.filter(({ isFinished }) => isFinished).map((row) => [row.name, row.checksum]))
  return {
    present,
    pending: present.filter((name) => !applied.has(name)),
    failed: history.filter(({ isFinished }) => !isFinished).map(({ name }) => name),
    edited: present.filter(
      (name) => applied.has(name) && applied.get(name) !== toChecksum(readScript(migrations, name)),
    ),
  }
}
