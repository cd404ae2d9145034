import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { App } from '@payments/chassis/request/app'
import { testPool } from '@payments/testing/database/database'
import request from 'supertest'
import { createApp } from '../src/app.ts'
import { openDatabase } from '../src/store/database.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('readiness', () => {
  const ready = (app: App) => request(app).get('/readyz')

  test('needs no broker: its absence is reported, and is a metric', async () => {
    expect((await ready(world.app).expect(200)).body).toEqual({ status: 'ready', reasons: {}, degraded: {} })
    const app = createApp({ ...world.deps, brokerCheck: async () => 'no connection to the broker' })
    expect((await ready(app).expect(200)).body).toEqual({
      status: 'ready',
      reasons: {},
      degraded: { broker: 'no connection to the broker' },
    })
    const metrics = (await request(app).get('/metrics').expect(200)).text
    expect(metrics).toMatch(/component_up\{component="broker",service="api-key"\} 0/)
    expect(metrics).toMatch(/component_up\{component="database",service="api-key"\} 1/)
  })

  test('needs the database, and shows no message of the driver', async () => {
    const db = openDatabase('postgresql://payments:secret@127.0.0.1:1/nowhere')
    const reply = await ready(createApp({ ...world.deps, db })).expect(503)
    await db.close()
    expect(reply.body).toEqual({ status: 'not_ready', reasons: { database: 'is unavailable' }, degraded: {} })
  })

  test('needs the newest migration of this version', async () => {
    const db = openDatabase(world.database.url, testPool)
    const [newest] = await world.rows<{ id: string; migration_name: string }>(
      `UPDATE _prisma_migrations SET finished_at = NULL
       WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations) RETURNING id, migration_name`,
    )
    const app = createApp({ ...world.deps, db })
    const reason = `the migration ${newest?.migration_name} is not applied`
    expect((await ready(app).expect(503)).body.reasons).toEqual({ database: reason })
    await world.rows('UPDATE _prisma_migrations SET finished_at = now() WHERE id = $1 RETURNING id', newest?.id)
    await ready(app).expect(200)
    await db.close()
  })

  test('stays while the database has a migration of a later version', async () => {
    const db = openDatabase(world.database.url, testPool)
    await world.rows(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ('later', '', '99991231000000_later', now(), 1) RETURNING id`,
    )
    expect((await ready(createApp({ ...world.deps, db }))).status).toBe(200)
    await world.rows(`DELETE FROM _prisma_migrations WHERE id = 'later' RETURNING id`)
    await db.close()
  })
})
