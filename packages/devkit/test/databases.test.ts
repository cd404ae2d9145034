import { randomBytes, randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { deploy, locateMigrations } from '@payments/devkit/migrations/migrate'
import {
  appRoleName,
  closeDatabase,
  createDatabase,
  ensureDatabases,
  ensurePrivileges,
  ensureRoles,
  services,
  toAdminUrl,
  urlAs,
  withClient,
} from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import pg from 'pg'

const adminUrl = testAddress('TEST_DATABASE_URL')
let database: string

beforeEach(() => {
  database = `test_roles_${randomBytes(6).toString('hex')}`
})
afterEach(() => withClient(adminUrl, (admin) => admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)))

const migrate = () => deploy(locateMigrations('audit'), urlAs(adminUrl, 'payments_owner', database))

test('a connection that the server ends while it is idle rejects the next query', async () => {
  const ended = withClient(adminUrl, async (client) => {
    const closed = new Promise<void>((resolve) => client.once('end', () => resolve()))
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await withClient(adminUrl, (other) => other.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]))
    await closed
    await client.query('SELECT 1')
  })
  await expect(ended).rejects.toThrow('not queryable')
})

describe('the database of a service', () => {
  beforeEach(async () => {
    await withClient(adminUrl, async (admin) => {
      await ensureRoles(admin, adminUrl)
      await createDatabase(admin, adminUrl, 'audit', database)
    })
    await migrate()
  })

  test.each(services.filter((service) => service !== 'audit'))(
    'refuses the role of %s, even to connect',
    async (other) => {
      await expect(withClient(urlAs(adminUrl, appRoleName(other), database), async () => {})).rejects.toThrow(
        /permission denied for database/,
      )
    },
  )

  test.each(['postgres', 'template1'])('refuses the role of a service the database %s', async (other) => {
    await ensureDatabases(adminUrl)
    for (const service of services)
      await expect(withClient(urlAs(adminUrl, appRoleName(service), other), async () => {})).rejects.toThrow(
        /permission denied for database/,
      )
  })

  test('grants its own role rows and functions, and neither tables, schemas, temporary tables nor the owner', async () => {
    await withClient(urlAs(adminUrl, appRoleName('audit'), database), async (app) => {
      expect((await app.query('SELECT audit_make_partitions(0)')).rowCount).toBe(1)
      for (const statement of [
        'CREATE TABLE mine (id int)',
        'CREATE SCHEMA mine',
        'CREATE TEMPORARY TABLE mine (id int)',
        'CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
        'SET ROLE payments_owner',
        `SET ROLE ${appRoleName('rbac')}`,
        'TRUNCATE audit_records',
        'ALTER TABLE audit_records DISABLE ROW LEVEL SECURITY',
        `COPY audit_records TO PROGRAM 'cat'`,
        `SELECT pg_read_file('/etc/passwd')`,
      ]) {
        await expect(app.query(statement)).rejects.toThrow(/permission denied|must be/)
      }
    })
  })

  test('lets its own role read which migrations are applied, and write no such row, also after an upgrade', async () => {
    const refuses = () =>
      withClient(urlAs(adminUrl, appRoleName('audit'), database), async (app) => {
        const applied = await app.query('SELECT migration_name, finished_at, rolled_back_at FROM _prisma_migrations')
        expect(applied.rowCount).toBeGreaterThan(0)
        for (const statement of [
          'SELECT checksum FROM _prisma_migrations',
          'DELETE FROM _prisma_migrations',
          'UPDATE _prisma_migrations SET finished_at = NULL',
          `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('mine', '', 'mine')`,
        ])
          await expect(app.query(statement)).rejects.toThrow('permission denied')
      })
    await refuses()
    await withClient(urlAs(adminUrl, 'payments_owner', database), (owner) =>
      owner.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON _prisma_migrations TO ${appRoleName('audit')}`),
    )
    await migrate()
    await refuses()
  })

  test('keeps its functions from every role that may connect and was granted no more', async () => {
    const role = `reader_${randomBytes(6).toString('hex')}`
    const password = randomUUID()
    await withClient(toAdminUrl(adminUrl, database), async (admin) => {
      await admin.query(
        `CREATE ROLE ${role} LOGIN PASSWORD '${password}'; GRANT CONNECT ON DATABASE ${database} TO ${role}`,
      )
      await admin.query(`GRANT USAGE ON SCHEMA public TO ${role}`)
    })
    const url = Object.assign(new URL(toAdminUrl(adminUrl, database)), { username: role, password })
    await withClient(url.href, async (reader) => {
      for (const call of ['audit_make_partitions(0)', 'audit_drop_partitions(1)']) {
        await expect(reader.query(`SELECT ${call}`)).rejects.toThrow('permission denied for function')
      }
    })
    await withClient(toAdminUrl(adminUrl, database), (admin) => admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
  })

  test('has no function, table or schema that PUBLIC may use', async () => {
    const { rows } = await withClient(urlAs(adminUrl, 'payments_owner', database), (owner) =>
      owner.query(`
        SELECT proname AS name FROM pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner)))
        WHERE pronamespace = 'public'::regnamespace AND grantee = 0
        UNION ALL SELECT relname FROM pg_class, aclexplode(relacl) WHERE relnamespace = 'public'::regnamespace AND grantee = 0
        UNION ALL SELECT nspname FROM pg_namespace, aclexplode(nspacl) WHERE nspname = 'public' AND grantee = 0
        UNION ALL SELECT datname FROM pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba)))
        WHERE datname = current_database() AND grantee = 0`),
    )
    expect(rows).toEqual([])
  })

  test('stays closed in a clone', async () => {
    const clone = `${database}_clone`
    await withClient(adminUrl, async (admin) => {
      await admin.query(`CREATE DATABASE ${clone} TEMPLATE ${database} OWNER payments_owner`)
      await closeDatabase(admin, 'audit', clone)
    })
    await expect(withClient(urlAs(adminUrl, appRoleName('rbac'), clone), async () => {})).rejects.toThrow(
      'permission denied',
    )
    await withClient(urlAs(adminUrl, appRoleName('audit'), clone), (app) =>
      app.query('SELECT audit_make_partitions(0)'),
    )
    await withClient(adminUrl, (admin) => admin.query(`DROP DATABASE ${clone} WITH (FORCE)`))
  })
})

describe('a database whose creation was interrupted before its privileges', () => {
  let tenant: string
  const readRoles = async (client: pg.Client) => {
    await client.query(`SELECT set_config('app.tenant_id', $1, false)`, [tenant])
    return (await client.query('SELECT name FROM roles ORDER BY name')).rows
  }
  const insertRole = (client: pg.Client, name: string) =>
    client.query(
      `INSERT INTO roles (id, tenant_id, name, name_key, description, kind, permissions, updated_at)
       VALUES (gen_random_uuid(), $1, $2, $2, '', 'custom', '{}', now())`,
      [tenant, name],
    )

  beforeEach(async () => {
    tenant = randomUUID()
    await withClient(adminUrl, async (admin) => {
      await ensureRoles(admin, adminUrl)
      await admin.query(`CREATE DATABASE ${database} OWNER payments_owner`)
    })
    await deploy(locateMigrations('rbac'), urlAs(adminUrl, 'payments_owner', database))
    await withClient(adminUrl, (admin) => ensurePrivileges(admin, adminUrl, 'rbac', database))
  })

  test('lets the role of its service read and write rows under row-level security, and no other connect', async () => {
    await withClient(urlAs(adminUrl, appRoleName('rbac'), database), async (app) => {
      expect(await readRoles(app)).toEqual([])
      await app.query(`INSERT INTO tenants (id, name, updated_at) VALUES ($1, 'Acme', now())`, [tenant])
      await insertRole(app, 'desk')
      expect(await readRoles(app)).toEqual([{ name: 'desk' }])
    })
    await withClient(urlAs(adminUrl, appRoleName('rbac'), database), async (app) => {
      expect((await app.query('SELECT name FROM roles')).rows).toEqual([])
    })
    await expect(withClient(urlAs(adminUrl, appRoleName('audit'), database), async () => {})).rejects.toThrow(
      'permission',
    )
  })

  test('grants what later migrations create to the role of its service alone', async () => {
    await withClient(urlAs(adminUrl, 'payments_owner', database), (owner) => owner.query('CREATE TABLE later (id int)'))
    const { rows } = await withClient(toAdminUrl(adminUrl, database), (admin) =>
      admin.query(
        `SELECT DISTINCT grantee::regrole::text AS role FROM pg_class, aclexplode(relacl) WHERE relname = 'later'`,
      ),
    )
    expect(new Set(rows.map(({ role }) => role))).toEqual(new Set(['payments_owner', appRoleName('rbac')]))
  })

  test('takes a second run, and several at once, as no change', async () => {
    const provision = () => ensureDatabases(adminUrl)
    const privileges = async () => {
      const sql = `SELECT relname, relacl::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname`
      return (await withClient(toAdminUrl(adminUrl, database), (admin) => admin.query(sql))).rows
    }
    const before = await privileges()
    await Promise.all([provision(), provision(), provision()])
    await withClient(adminUrl, (admin) => ensurePrivileges(admin, adminUrl, 'rbac', database))
    expect(await privileges()).toEqual(before)
  })
})
