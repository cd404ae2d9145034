import { expect, it } from '@jest/globals'
import { withClient } from '@payments/devkit/servers/databases'
import { privateDatabase } from '@payments/testing/database/database'

it('keeps what one test writes from every other', async () => {
  const [mine, yours] = [await privateDatabase('rbac'), await privateDatabase('rbac')]
  const count = (url: string) =>
    withClient(url, async (client) => (await client.query(`SELECT FROM pg_class WHERE relname = 'scribble'`)).rowCount)
  await withClient(mine.ownerUrl, (owner) => owner.query('CREATE TABLE scribble (id INT)'))
  expect([await count(mine.url), await count(yours.url)]).toEqual([1, 0])
  await mine.drop()
  await yours.drop()
})

it('is migrated, and reached by a role that owns nothing and cannot step around row-level security', async () => {
  const { url, drop } = await privateDatabase('rbac')
  await withClient(url, async (app) => {
    const { rows } = await app.query(
      'SELECT rolsuper, rolbypassrls, rolcreatedb FROM pg_roles WHERE rolname = current_user',
    )
    expect(rows).toEqual([{ rolsuper: false, rolbypassrls: false, rolcreatedb: false }])
    const tables = await app.query<{ tableowner: string }>(
      `SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'`,
    )
    expect(tables.rows).toEqual([{ tableowner: 'payments_owner' }])
  })
  await drop()
})

it('is gone after it was dropped, connections or not', async () => {
  const { url, drop } = await privateDatabase('rbac')
  await drop()
  await expect(withClient(url, async () => {})).rejects.toThrow('rejects the connection')
})
