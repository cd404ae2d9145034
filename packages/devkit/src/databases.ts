/**
 * Roles and databases. `payments_owner` owns every database and runs its migrations; `payments_app` is what services connect as:
 * it reads and writes rows, owns nothing, and cannot step around row-level security.
 */
import pg from 'pg'
import { messageOf, Refusal } from './refusal.ts'
import { rolePassword } from './secrets.ts'

export const services = ['api-key', 'rbac', 'webhooks', 'payment-proxy', 'audit'] as const
export type Service = (typeof services)[number]
export type Role = 'payments_owner' | 'payments_app'

const connectTimeoutMs = 10_000
/** Any two numbers nobody else uses; they name our advisory lock. */
const rolesLock = 7_366_201

export function serviceNamed(name: string): Service {
  const found = services.find((service) => service === name)
  if (found === undefined) throw new Refusal(`There is no service ${name}; there are ${services.join(', ')}.`)
  return found
}

export function databaseOf(service: Service): string {
  return `payments_${service.replaceAll('-', '_')}`
}

/** The address of one database, as one of our roles. */
export function urlAs(adminUrl: string, role: Role, database: string): string {
  const url = new URL(adminUrl)
  url.username = role
  url.password = rolePassword(adminUrl, role)
  url.pathname = `/${database}`
  return url.href
}

export function adminUrlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${database}`
  return url.href
}

export async function withClient<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: connectTimeoutMs })
  try {
    await client.connect()
  } catch (cause) {
    await client.end()
    const { host, pathname } = new URL(connectionString)
    throw new Refusal(`PostgreSQL at ${host}${pathname} does not let us in: ${messageOf(cause)}`, { cause })
  }
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** Makes the roles and every database that is missing. Safe to repeat, and safe while others do the same. */
export async function ensureDatabases(adminUrl: string): Promise<void> {
  await withClient(adminUrl, async (admin) => {
    await requirePowers(admin)
    await ensureRoles(admin, adminUrl)
    const { rows } = await admin.query<{ datname: string }>('SELECT datname FROM pg_database')
    const present = new Set(rows.map(({ datname }) => datname))
    for (const service of services) {
      const database = databaseOf(service)
      if (!present.has(database)) await createDatabase(admin, adminUrl, database)
    }
  })
}

export async function ensureRoles(admin: pg.Client, adminUrl: string): Promise<void> {
  await admin.query('SELECT pg_advisory_lock($1)', [rolesLock])
  try {
    for (const role of ['payments_owner', 'payments_app'] as const) {
      const { rowCount } = await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [role])
      if (rowCount === 0) await admin.query(`CREATE ROLE ${role} NOLOGIN`)
      const password = pg.escapeLiteral(rolePassword(adminUrl, role))
      await admin.query(`ALTER ROLE ${role} WITH LOGIN NOCREATEDB NOCREATEROLE PASSWORD ${password}`)
    }
    // One who is not a superuser hands a database over only to a role they are a member of.
    await admin.query('GRANT payments_owner TO CURRENT_USER')
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [rolesLock])
  }
}

/** An empty database of payments_owner, in which payments_app may use whatever payments_owner will create. */
export async function createDatabase(admin: pg.Client, adminUrl: string, database: string): Promise<void> {
  await admin.query(`CREATE DATABASE ${pg.escapeIdentifier(database)} OWNER payments_owner`)
  await withClient(urlAs(adminUrl, 'payments_owner', database), async (owner) => {
    await owner.query('GRANT USAGE ON SCHEMA public TO payments_app')
    const defaults = 'ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT'
    await owner.query(`${defaults} SELECT, INSERT, UPDATE, DELETE ON TABLES TO payments_app`)
    await owner.query(`${defaults} USAGE, SELECT ON SEQUENCES TO payments_app`)
  })
}

async function requirePowers(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ user: string; database: boolean; role: boolean }>(
    'SELECT current_user AS "user", rolsuper OR rolcreatedb AS database, rolsuper OR rolcreaterole AS role FROM pg_roles WHERE rolname = current_user',
  )
  const [powers] = rows
  const lacking = [...(powers?.database ? [] : ['CREATEDB']), ...(powers?.role ? [] : ['CREATEROLE'])]
  if (lacking.length > 0)
    throw new Refusal(
      `The user "${powers?.user}" of DATABASE_URL lacks ${lacking.join(' and ')}: ALTER ROLE "${powers?.user}" ${lacking.join(' ')};`,
    )
}
