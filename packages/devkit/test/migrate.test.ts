import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { UserError } from '@payments/devkit/machine/user-error'
import { deploy, type Migrations, status } from '@payments/devkit/migrations/migrate'
import { create, drift } from '@payments/devkit/migrations/schema-changes'
import { createDatabase, ensureRoles, urlAs, withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'

const adminUrl = testAddress('TEST_DATABASE_URL')
const schema = `
datasource db {
  provider = "postgresql"
}

model Note {
  id   String @id @db.Uuid
  text String
}
`
const firstMigration = `
CREATE TABLE "Note" ("id" UUID NOT NULL, "text" TEXT NOT NULL, CONSTRAINT "Note_pkey" PRIMARY KEY ("id"));
CREATE FUNCTION shout(words TEXT) RETURNS TEXT LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN upper(words); END $$;
`

let directory: string
let database: string
let notes: Migrations

const ownerUrl = () => urlAs(adminUrl, 'payments_owner', database)

function write(name: string, sql: string): void {
  mkdirSync(join(notes.directory, name), { recursive: true })
  writeFileSync(join(notes.directory, name, 'migration.sql'), sql)
}

async function query<T extends object>(sql: string): Promise<T[]> {
  return withClient(ownerUrl(), async (client) => (await client.query<T>(sql)).rows)
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'migrate-'))
  database = `test_migrate_${process.hrtime.bigint()}`
  notes = { name: 'notes', schemaFile: join(directory, 'schema.prisma'), directory: join(directory, 'migrations') }
  writeFileSync(notes.schemaFile, schema)
  await withClient(adminUrl, async (admin) => {
    await ensureRoles(admin, adminUrl)
    await createDatabase(admin, adminUrl, 'rbac', database)
  })
})

afterEach(async () => {
  rmSync(directory, { recursive: true })
  await withClient(adminUrl, (admin) => admin.query(`DROP DATABASE ${database} WITH (FORCE)`))
})

describe('deploy', () => {
  it('applies what is missing, in order and once, function bodies with their semicolons included', async () => {
    write('20260102000000_second', 'ALTER TABLE "Note" ADD COLUMN "at" TIMESTAMPTZ;')
    write('20260101000000_first', firstMigration)
    expect(await deploy(notes, ownerUrl())).toEqual(['20260101000000_first', '20260102000000_second'])
    expect(await deploy(notes, ownerUrl())).toEqual([])
    expect(await query(`SELECT shout('heard')`)).toEqual([{ shout: 'HEARD' }])
  })

  it('gives the role of the service the rows and payments_owner the tables', async () => {
    write('20260101000000_first', firstMigration)
    await deploy(notes, ownerUrl())
    const appUrl = urlAs(adminUrl, 'payments_rbac_app', database)
    await withClient(appUrl, async (app) => {
      await app.query(`INSERT INTO "Note" VALUES (gen_random_uuid(), 'ours')`)
      await expect(app.query('DROP TABLE "Note"')).rejects.toThrow('must be owner')
      await expect(app.query('CREATE TABLE mine (id int)')).rejects.toThrow('permission denied')
    })
  })

  it('names service, migration and the server’s words when one is broken, and runs nothing after it', async () => {
    write('20260101000000_first', firstMigration)
    write('20260102000000_broken', 'CREATE TABLE half (id INT);\nALTER TABLE nowhere ADD COLUMN x INT;')
    write('20260103000000_after', 'CREATE TABLE never (id INT);')
    const failure = deploy(notes, ownerUrl())
    await expect(failure).rejects.toThrow(UserError)
    await expect(failure).rejects.toThrow(
      /^Service notes: migration 20260102000000_broken failed: relation "nowhere" does not exist$/,
    )
    const tables = await query<{ relname: string }>(`SELECT relname FROM pg_class WHERE relname IN ('half', 'never')`)
    expect(tables).toEqual([])
    expect((await status(notes, ownerUrl())).failed).toEqual(['20260102000000_broken'])
  })

  it('tries a corrected migration again', async () => {
    write('20260101000000_first', 'CREATE TABLE oops (')
    await expect(deploy(notes, ownerUrl())).rejects.toThrow('syntax error')
    write('20260101000000_first', firstMigration)
    expect(await deploy(notes, ownerUrl())).toEqual(['20260101000000_first'])
    expect((await status(notes, ownerUrl())).failed).toEqual([])
  })

  it('applies a migration and records it as applied together, or neither', async () => {
    const unrecordable = 'ALTER TABLE public._prisma_migrations RENAME finished_at TO ended_at;'
    write('20260101000000_first', `${firstMigration}\n${unrecordable}`)
    await expect(deploy(notes, ownerUrl())).rejects.toThrow(/finished_at/)
    write('20260101000000_first', firstMigration)
    expect(await deploy(notes, ownerUrl())).toEqual(['20260101000000_first'])
  })

  it('lets two that run at the same time apply each migration once', async () => {
    write('20260101000000_first', firstMigration)
    const applied = await Promise.all([deploy(notes, ownerUrl()), deploy(notes, ownerUrl())])
    expect(applied.flat()).toEqual(['20260101000000_first'])
  })

  it('lets a second one wait while the first applies a migration', async () => {
    write('20260101000000_first', `${firstMigration}\nSELECT pg_sleep(1);`)
    const first = deploy(notes, ownerUrl())
    const started = `SELECT FROM _prisma_migrations WHERE finished_at IS NULL`
    while ((await query(started).catch(() => [])).length === 0);
    expect(await deploy(notes, ownerUrl())).toEqual([])
    expect(await first).toEqual(['20260101000000_first'])
  })

  it('says which service has no schema', async () => {
    rmSync(notes.schemaFile)
    await expect(deploy(notes, ownerUrl())).rejects.toThrow(/^Service notes has no /)
  })
})

describe('drift', () => {
  it('reports nothing when schema and migrations agree', async () => {
    write('20260101000000_first', firstMigration)
    expect(await drift(notes, adminUrl)).toBeUndefined()
  })

  it('shows the SQL that the migrations lack, and changes nothing', async () => {
    write('20260101000000_first', firstMigration)
    writeFileSync(notes.schemaFile, `${schema}\nmodel Tag {\n  id Int @id\n}\n`)
    expect(await drift(notes, adminUrl)).toContain('CREATE TABLE "Tag"')
    expect(await query(`SELECT FROM pg_class WHERE relname IN ('Note', 'Tag')`)).toEqual([])
  })
})

describe('create', () => {
  it('writes the migration that leads to the schema, and nothing when there is nothing to do', async () => {
    const written = await create(notes, 'Take notes!', adminUrl)
    expect(written).toMatch(/\d{14}_take_notes_?$/)
    expect(readFileSync(join(String(written), 'migration.sql'), 'utf8')).toContain('CREATE TABLE "Note"')
    expect(readdirSync(notes.directory)).toContain('migration_lock.toml')
    expect(await create(notes, 'again', adminUrl)).toBeUndefined()
    expect(await deploy(notes, ownerUrl())).toHaveLength(1)
  })
})
