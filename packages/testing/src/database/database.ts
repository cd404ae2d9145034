/**
 * **What it does.** Creates a private database per test file: a clone of a template with the migrated, empty schema of
 * a service. The template is created once per state of the migrations, under an advisory lock, because jest runs
 * several workers. A clone takes about 50 ms with data in memory.
 *
 * **Guarantees.** No other test writes to the clone. Tests connect as the role that the service has in production.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { deploy, locateMigrations, type Migrations, migrationNames } from '@payments/devkit/migrations/migrate'
import {
  appRoleName,
  closeDatabase,
  createDatabase,
  ensureRoles,
  type Service,
  urlAs,
  withClient,
} from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import pg from 'pg'

export interface PrivateDatabase {
  /** The URL for the role of the service. */
  readonly url: string
  /** The URL for payments_owner, for statements that no service may run. */
  readonly ownerUrl: string
  readonly drop: () => Promise<void>
}

/** For connections of tests: a busy machine can stall a process for seconds, which is no fault of the tested code. */
export const testPool = { waitMsMax: 30_000 }

/** The advisory lock of this module; provisioning uses another. */
const templateLock = 7_366_202

/**
 * `adminUrl`: an administrator of the server. `migrations`: of another checkout, under another
 * name.
 */
export async function privateDatabase(
  service: Service,
  adminUrl = testAddress('TEST_DATABASE_URL'),
  migrations = locateMigrations(service),
): Promise<PrivateDatabase> {
  const stem = service.replaceAll('-', '_')
  const database = `test_${stem}_${randomBytes(6).toString('hex')}`
  await asAdministrator(adminUrl, async (admin) => {
    const template = await ensureTemplate(admin, adminUrl, service, migrations)
    // Copies the files: the other strategy writes each page to the log of the server, which takes twice the CPU time.
    await admin.query(`CREATE DATABASE ${database} TEMPLATE ${template} STRATEGY FILE_COPY OWNER payments_owner`)
    await closeDatabase(admin, service, database)
  })
  return {
    url: urlAs(adminUrl, appRoleName(service), database),
    ownerUrl: urlAs(adminUrl, 'payments_owner', database),
    drop: () =>
      asAdministrator(adminUrl, async (admin) => {
        await untilLeft(admin, database)
        await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
      }),
  }
}

/** A session takes longer than most of its statements, so test files of a worker share those of the administrator. */
const administrators = new Map<string, pg.Pool>()
const idleMs = 2_000

async function asAdministrator<T>(adminUrl: string, use: (admin: pg.ClientBase) => Promise<T>): Promise<T> {
  let pool = administrators.get(adminUrl)
  if (pool === undefined) {
    const connectionTimeoutMillis = testPool.waitMsMax
    const limits = { connectionTimeoutMillis, idleTimeoutMillis: idleMs, allowExitOnIdle: true }
    pool = new pg.Pool({ connectionString: adminUrl, ...limits })
    // A session that is lost while it is idle, as when the server stops, leaves the pool.
    pool.on('error', () => {})
    administrators.set(adminUrl, pool)
  }
  const admin = await pool.connect()
  try {
    return await use(admin)
  } finally {
    admin.release()
  }
}

/**
 * Ends the sessions of the database. Later sessions see a server in recovery, until the returned function is called.
 */
export async function asStandby(database: PrivateDatabase, adminUrl = testAddress('TEST_DATABASE_URL')) {
  const name = new URL(database.url).pathname.slice(1)
  const endSessions = () =>
    withClient(adminUrl, (admin) =>
      admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]),
    )
  await withClient(database.ownerUrl, async (owner) => {
    await owner.query('CREATE SCHEMA standby')
    await owner.query(`CREATE FUNCTION standby.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true'`)
    await owner.query('GRANT USAGE ON SCHEMA standby TO PUBLIC')
    await owner.query(`ALTER DATABASE ${name} SET search_path = standby, pg_catalog, public`)
  })
  await endSessions()
  return async () => {
    await withClient(database.ownerUrl, (owner) => owner.query(`ALTER DATABASE ${name} RESET search_path`))
    await endSessions()
  }
}

const leaveTimeoutMs = 500

/** Connections of an ended pool may still be closing; a forced end would throw in the next test. */
async function untilLeft(admin: pg.ClientBase, database: string): Promise<void> {
  const deadlineAt = Date.now() + leaveTimeoutMs
  while (Date.now() < deadlineAt) {
    const { rowCount } = await admin.query('SELECT FROM pg_stat_activity WHERE datname = $1', [database])
    if (rowCount === 0) return
    await delay(10)
  }
}

async function ensureTemplate(
  admin: pg.ClientBase,
  adminUrl: string,
  service: Service,
  migrations: Migrations,
): Promise<string> {
  const stem = `template_${migrations.name.replaceAll('-', '_')}_`
  const template = `${stem}${digestMigrations(migrations)}`
  if (await isReady(admin, template)) return template
  await admin.query('SELECT pg_advisory_lock($1)', [templateLock])
  try {
    if (await isReady(admin, template)) return template
    await dropTemplates(admin, stem)
    await ensureRoles(admin, adminUrl)
    await createDatabase(admin, adminUrl, service, template)
    await deploy(migrations, urlAs(adminUrl, 'payments_owner', template))
    // Marked as a template at the end: a partial one after a crash is dropped above.
    await admin.query(`ALTER DATABASE ${template} WITH IS_TEMPLATE true`)
    return template
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [templateLock])
  }
}

async function isReady(admin: pg.ClientBase, template: string): Promise<boolean> {
  const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1 AND datistemplate', [template])
  return rowCount === 1
}

/** Drops templates of earlier states of the migrations and partial ones. */
async function dropTemplates(admin: pg.ClientBase, stem: string): Promise<void> {
  const { rows } = await admin.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [stem],
  )
  for (const { datname } of rows) {
    await admin.query(`ALTER DATABASE ${datname} WITH IS_TEMPLATE false`)
    await admin.query(`DROP DATABASE ${datname} WITH (FORCE)`)
  }
}

function digestMigrations(migrations: Migrations): string {
  const hash = createHash('sha256')
  for (const name of migrationNames(migrations))
    hash.update(`${name}\n`).update(readFileSync(join(migrations.directory, name, 'migration.sql')))
  return hash.digest('hex').slice(0, 12)
}
