import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { poolSettings } from '@payments/chassis/database/pool'
import { type PrivateDatabase, privateDatabase } from '@payments/testing/database/database'
import pg from 'pg'

let database: PrivateDatabase
let pool: pg.Pool

beforeEach(async () => {
  database = await privateDatabase('rbac')
  pool = new pg.Pool({ connectionString: database.url, max: 2, ...poolSettings })
})

afterEach(async () => {
  await pool.end()
  await database.drop()
})

test('a session that the server ends without a listener does not end the process, and the next session works', async () => {
  const session = await pool.connect()
  const { rows } = await session.query('SELECT pg_backend_pid() AS pid')
  const ended = new Promise((resolve) => session.on('end', resolve as () => void))
  await pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
  await ended
  await expect(session.query('SELECT 1')).rejects.toThrow()
  session.release(true)
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
})
