import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { type PrivateDatabase, privateDatabase } from '../src/database/database.ts'
import { type Rows, readRows } from '../src/database/rows.ts'

let database: PrivateDatabase
let owner: pg.Client
let rows: Rows
beforeAll(async () => {
  database = await privateDatabase('rbac')
  owner = new pg.Client({ connectionString: database.ownerUrl })
  await owner.connect()
  await owner.query(`SET app.tenant_id = '*'`)
  rows = await readRows(database.ownerUrl)
})
afterAll(async () => {
  await Promise.all([rows.stop(), owner.end()])
  await database.drop()
})

test('sees a row that comes, changes, or goes, whichever tenant has it', async () => {
  const insert = 'INSERT INTO idempotency_keys (tenant_id, key, fingerprint, expires_at) VALUES ($1, $2, $3, now())'
  const looks = [await rows.digest()]
  const statements = [
    () => owner.query(insert, [randomUUID(), 'a', 'once']),
    () => owner.query(`UPDATE idempotency_keys SET fingerprint = 'twice'`),
    () => owner.query('DELETE FROM idempotency_keys'),
  ]
  for (const statement of statements) {
    await statement()
    looks.push(await rows.digest())
  }
  expect(looks.map((look) => look.filter((line) => looks[0]?.includes(line) === false).length)).toEqual([0, 1, 1, 0])
  expect(looks[1]).not.toEqual(looks[2])
})
