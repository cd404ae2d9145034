import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from '@jest/globals'
import { problems } from '@payments/contracts/services/audit/contract'
import { holdLock } from '@payments/testing/database/held-lock'
import { adviceSuite } from '@payments/testing/suites/advice'
import { createApp } from '../src/app.ts'
import { createSearches } from '../src/search/searches.ts'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const dayMs = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString()
const search = '/v1/audit/records?path_prefix=/v1/webhooks'

adviceSuite(problems, [
  {
    problem: 'audit_search_too_long',
    advice: 'give a later occurred_after',
    given: async () => {
      const tenantId = randomUUID()
      await world.store([createRecord(tenantId)])
      await world.moveToDay(5, 'tenant_id = $1', tenantId)
      // A read of the records of that day takes as long as the lock is held.
      const partition = `audit_records_${daysAgo(5).slice(0, 10).replaceAll('-', '')}`
      const lock = await holdLock(world.database.ownerUrl, `LOCK TABLE ${partition}`)
      const asTenant = world.asTenant(tenantId)
      const advised = async () => {
        const reply = await asTenant.get(`${search}&occurred_after=${daysAgo(1)}`)
        await lock.release()
        return reply
      }
      return { rejected: () => asTenant.get(search), advised }
    },
  },
  {
    problem: 'audit_search_too_long',
    advice: 'give the trace_id of a request',
    given: async () => {
      const template = createRecord(randomUUID())
      const tenantId = randomUUID()
      await world.store([template])
      await world.owner.query(
        `INSERT INTO audit_records SELECT (jsonb_populate_record(r, jsonb_build_object(
           'tenant_id', $1::text, 'position', n, 'id', gen_random_uuid(), 'trace_id', gen_random_uuid()))).*
         FROM audit_records r, generate_series(1, 20000) n WHERE r.id = $2`,
        [tenantId, template.id],
      )
      const app = createApp({ ...world.deps, searches: createSearches(world.deps.db, { msMax: 1 }) })
      const asTenant = world.createCallers(app).asTenant(tenantId)
      const advised = () => asTenant.get(`${search}&trace_id=${randomUUID()}`)
      return { rejected: () => asTenant.get(search), advised }
    },
  },
])
