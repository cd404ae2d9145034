/**
 * Roles and databases. One owner, and one role per service, which owns nothing
 * (docs/decisions/0003-row-level-security.md).
 */
import { type ServiceName, serviceNames } from '@payments/contracts/edges/contracts'
import pg from 'pg'
import { rolePassword } from '../machine/secrets.ts'
import { formatError, UserError } from '../machine/user-error.ts'

export const services = serviceNames
export type Service = ServiceName
export type AppRole = `payments_${string}_app`
export type Role = 'payments_owner' | AppRole

const connectTimeoutMs = 10_000
/** The advisory lock of this module: two arbitrary numbers. */
const rolesLock = 7_366_201

export function requireService(name: string): Service {
  const found = services.find((service) => service === name)
  if (found === undefined) throw new UserError(`There is no service ${name}; there are ${services.join(', ')}.`)
  return found
}

export function databaseName(service: Service): string {
  return `payments_${service.replaceAll('-', '_')}`
}

/** The database role of a service. */
export function appRoleName(service: Service): AppRole {
  return `payments_${service.replaceAll('-', '_')}_app`
}

/** The URL of one database for one role. */
export function urlAs(adminUrl: string, role: Role, database: string): string {
  const url = new URL(adminUrl)
  url.username = role
  url.password = rolePassword(adminUrl, role)
  url.pathname = `/${database}`
  return url.href
}

export function toAdminUrl(adminUrl: string, database: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${database}`
  return url.href
}

export async function withClient<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: connectTimeoutMs })
  // A lost connection, as when the server stops, rejects the query; without a listener it would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (cause) {
    await client.end()
    const { host, pathname } = new URL(connectionString)
    throw new UserError(`PostgreSQL at ${host}${pathname} rejects the connection: ${formatError(cause)}`, { cause })
  }
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/**
 * Creates the roles and every missing database, and grants what an interrupted creation left out. Safe to repeat and to
 * run concurrently.
 */
export async function ensureDatabases(adminUrl: string): Promise<void> {
  await withClient(adminUrl, async (admin) => {
    await requirePrivileges(admin)
    await ensureRoles(admin, adminUrl)
    await withLock(admin, async () => {
      const { rows } = await admin.query<{ datname: string }>('SELECT datname FROM pg_database')
      const present = new Set(rows.map(({ datname }) => datname))
      for (const service of services) {
        const database = databaseName(service)
        if (present.has(database)) await ensurePrivileges(admin, adminUrl, service, database)
        else await createDatabase(admin, adminUrl, service, database)
      }
      await closeSharedDatabases(admin)
    })
  })
}

export async function ensureRoles(admin: pg.ClientBase, adminUrl: string): Promise<void> {
  await withLock(admin, async () => {
    for (const role of ['payments_owner', ...services.map(appRoleName)]) {
      const { rowCount } = await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [role])
      if (rowCount === 0) await admin.query(`CREATE ROLE ${role} NOLOGIN`)
      const password = pg.escapeLiteral(rolePassword(adminUrl, role))
      await admin.query(`ALTER ROLE ${role} WITH LOGIN NOCREATEDB NOCREATEROLE PASSWORD ${password}`)
    }
    // An administrator without superuser rights can give a database only to a role of which they are a member.
    await admin.query('GRANT payments_owner TO CURRENT_USER')
  })
}

/**
 * Creates an empty database of payments_owner. The role of the service may use all objects that payments_owner creates
 * later.
 */
export async function createDatabase(
  admin: pg.ClientBase,
  adminUrl: string,
  service: Service,
  database: string,
): Promise<void> {
  await admin.query(`CREATE DATABASE ${pg.escapeIdentifier(database)} OWNER payments_owner`)
  await ensurePrivileges(admin, adminUrl, service, database)
}

/**
 * Grants the database to the role of its service only. CONNECT is granted last, together with its revocation from
 * PUBLIC, so a database with CONNECT has all grants.
 */
export async function ensurePrivileges(
  admin: pg.ClientBase,
  adminUrl: string,
  service: Service,
  database: string,
): Promise<void> {
  const role = appRoleName(service)
  if (await isClosed(admin, role, database)) return
  await withClient(urlAs(adminUrl, 'payments_owner', database), async (owner) => {
    await owner.query(['BEGIN', ...inside(role), 'COMMIT'].join(';\n'))
  })
  await closeDatabase(admin, service, database)
}

/**
 * Permits connections of the role of the service and of the owner only. A clone does not inherit this from its
 * template.
 */
export async function closeDatabase(admin: pg.ClientBase, service: Service, database: string): Promise<void> {
  const name = pg.escapeIdentifier(database)
  await admin.query(
    `BEGIN; REVOKE ALL ON DATABASE ${name} FROM PUBLIC; GRANT CONNECT ON DATABASE ${name} TO ${appRoleName(service)}; COMMIT`,
  )
}

/**
 * The roles of services connect to their own databases only. An administrator who does not own these databases, as of a
 * managed server, leaves them open.
 */
async function closeSharedDatabases(admin: pg.ClientBase): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database
     WHERE datname IN ('postgres', 'template1') AND pg_has_role(datdba, 'MEMBER') AND has_database_privilege('public', oid, 'CONNECT')`,
  )
  for (const { name } of rows) await admin.query(`REVOKE CONNECT ON DATABASE ${pg.escapeIdentifier(name)} FROM PUBLIC`)
}

/** As payments_owner: privileges on existing objects and on the objects of later migrations. */
function inside(role: string): string[] {
  const defaults = 'ALTER DEFAULT PRIVILEGES'
  return [
    'REVOKE ALL ON SCHEMA public FROM PUBLIC',
    `GRANT USAGE ON SCHEMA public TO ${role}`,
    'REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC',
    // PUBLIC may execute new functions by a default outside of schemas, so the revocation covers all schemas.
    `${defaults} REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC`,
    ...['TABLES', 'SEQUENCES', 'FUNCTIONS'].flatMap((kind) => [
      `GRANT ${granted[kind]} ON ALL ${kind} IN SCHEMA public TO ${role}`,
      `${defaults} IN SCHEMA public GRANT ${granted[kind]} ON ${kind} TO ${role}`,
    ]),
  ]
}

const granted: Readonly<Record<string, string>> = {
  TABLES: 'SELECT, INSERT, UPDATE, DELETE',
  SEQUENCES: 'USAGE, SELECT',
  FUNCTIONS: 'EXECUTE',
}

async function isClosed(admin: pg.ClientBase, role: string, database: string): Promise<boolean> {
  const { rowCount } = await admin.query(
    `SELECT FROM pg_database
     WHERE datname = $2 AND EXISTS (SELECT FROM aclexplode(datacl) WHERE grantee = $1::regrole)
       AND NOT EXISTS (SELECT FROM aclexplode(datacl) WHERE grantee = 0)`,
    [role, database],
  )
  return rowCount === 1
}

/** Runs one at a time per server: two sessions that grant on one object concurrently fail. */
async function withLock<T>(admin: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await admin.query('SELECT pg_advisory_lock($1)', [rolesLock])
  try {
    return await work()
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [rolesLock])
  }
}

async function requirePrivileges(admin: pg.ClientBase): Promise<void> {
  const { rows } = await admin.query<{ user: string; database: boolean; role: boolean }>(
    'SELECT current_user AS "user", rolsuper OR rolcreatedb AS database, rolsuper OR rolcreaterole AS role FROM pg_roles WHERE rolname = current_user',
  )
  const [privileges] = rows
  const lacking = [...(privileges?.database ? [] : ['CREATEDB']), ...(privileges?.role ? [] : ['CREATEROLE'])]
  if (lacking.length > 0)
    throw new UserError(
      `The user "${privileges?.user}" of DATABASE_URL lacks ${lacking.join(' and ')}: ALTER ROLE "${privileges?.user}" ${lacking.join(' ')};`,
    )
}
