import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { appRoleName, services } from '@payments/devkit/servers/databases'
import pg from 'pg'
import { type PrivateDatabase, privateDatabase } from '../src/database/database.ts'

/** As PostgreSQL writes the one policy that there is. */
const tenantSetting = `current_setting('app.tenant_id'::text, true)`
const policy = `((${tenantSetting} = '*'::text) OR (${tenantSetting} = (tenant_id)::text))`

interface Table {
  name: string
  is_partition: boolean
  enabled: boolean
  forced: boolean
  policies: { command: string; using: string | null; check: string | null; permissive: boolean }[]
}

describe.each(services)('the database of %s', (service) => {
  let database: PrivateDatabase
  let owner: pg.Client
  let app: pg.Client
  beforeAll(async () => {
    database = await privateDatabase(service)
    ;[owner, app] = [new pg.Client(database.ownerUrl), new pg.Client(database.url)]
    await Promise.all([owner.connect(), app.connect()])
    // A table partitioned by day has no partition before a job creates one.
    const { rows } = await app.query<{ name: string; parameters: number }>(
      `SELECT proname AS name, pronargs AS parameters FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname LIKE '%make\\_partitions'`,
    )
    for (const { name, parameters } of rows) {
      await app.query(`SELECT ${pg.escapeIdentifier(name)}(${Array(parameters).fill(0).join(', ')})`)
    }
  })
  afterAll(async () => {
    await Promise.all([owner.end(), app.end()])
    await database.drop()
  })

  test('separates tenants in every table with a tenant, for every role', async () => {
    const { rows: tables } = await owner.query<Table>(tablesWithTenant)
    expect(tables.length).toBeGreaterThan(1)
    for (const { name, enabled, forced, is_partition: isPartition, policies } of tables) {
      // A partition queried by its own name shows no row; through its table, the policy of the table applies.
      const expected =
        isPartition && policies.length === 0 ? [] : [{ command: '*', using: policy, check: null, permissive: true }]
      expect({ name, enabled, forced, policies }).toEqual({ name, enabled: true, forced: true, policies: expected })
    }
  })

  test('shows no row without a tenant, and rejects every write', async () => {
    const { rows: tables } = await owner.query<Table>(tablesWithTenant)
    for (const { name } of tables) {
      const table = pg.escapeIdentifier(name)
      const { rows } = await app.query(`SELECT count(*)::int AS count FROM ${table}`)
      expect([name, rows]).toEqual([name, [{ count: 0 }]])
      // The policy is checked before other constraints, except for the bounds of a partition.
      const insert = app.query(`INSERT INTO ${table} (tenant_id) VALUES (gen_random_uuid())`)
      await expect(insert).rejects.toThrow(/violates row-level security policy|no partition of relation/)
    }
  })

  test('belongs to a role that services do not have and cannot assume', async () => {
    const { rows } = await app.query(
      `SELECT current_user AS role, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,
              pg_has_role(current_user, 'payments_owner', 'MEMBER') AS is_owner,
              has_schema_privilege('public', 'CREATE') AS creates,
              (SELECT count(*)::int FROM pg_class WHERE relowner = to_regrole(current_user)) AS owned
       FROM pg_roles WHERE rolname = current_user`,
    )
    expect(rows).toEqual([
      {
        role: appRoleName(service),
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcreatedb: false,
        is_owner: false,
        creates: false,
        owned: 0,
      },
    ])
  })
})

/** Includes partitions, which can be queried by their own names. */
const tablesWithTenant = `
  SELECT c.relname AS name, c.relispartition AS is_partition, c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced,
         (SELECT coalesce(json_agg(json_build_object('command', p.polcmd, 'permissive', p.polpermissive,
                   'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid))), '[]')
          FROM pg_policy p WHERE p.polrelid = c.oid) AS policies
  FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
    AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
  ORDER BY c.relname`
