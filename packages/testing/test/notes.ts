import { type PrivateDatabase, privateDatabase } from '@payments/testing/database/database'
import pg from 'pg'

/** A database with the table `notes`, with the policy of every table of a tenant. */
export async function databaseWithNotes(): Promise<PrivateDatabase> {
  const database = await privateDatabase('rbac')
  const owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query(`
    CREATE TABLE notes (tenant_id uuid NOT NULL, text text NOT NULL);
    ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
    CREATE POLICY tenant_isolation ON notes USING (current_setting('app.tenant_id', true) IN ('*', tenant_id::text));`)
  await owner.end()
  return database
}
