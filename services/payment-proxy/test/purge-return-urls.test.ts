import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { purgeReturnUrls } from '../src/verbs/purge-return-urls.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const hourMs = 60 * 60 * 1_000
const returnUrl = 'https://pay.example.com/pay/secret/return'
const after = (hours: number) => ({ ...world.deps, now: () => new Date(Date.now() + hours * hourMs) })
const readUrls = (tenantId: string) =>
  world.rows<{ return_url: string | null }>(
    `SELECT return_url FROM sandbox_operations WHERE tenant_id = $1::uuid AND type = 'authorize' ORDER BY return_url`,
    tenantId,
  )

test('deletes the page to return to a day after the end of the time to decide, also of many payments', async () => {
  const tenant = world.tenant()
  const authorized = await tenant.authorize('challenge', { return_url: returnUrl })
  expect(authorized.status).toBe(202)
  expect(await readUrls(tenant.id)).toEqual([{ return_url: returnUrl }])
  expect(await purgeReturnUrls(after(24))).toBe(0)
  expect(await readUrls(tenant.id)).toEqual([{ return_url: returnUrl }])
  await world.rows(
    `INSERT INTO sandbox_operations SELECT (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(),
       'challenge', gen_random_uuid()))).*
     FROM sandbox_operations AS s, generate_series(1, 10100) WHERE s.tenant_id = $1::uuid AND s.return_url IS NOT NULL`,
    tenant.id,
  )
  expect(await purgeReturnUrls(after(25))).toBe(10_101)
  expect((await readUrls(tenant.id)).every(({ return_url: url }) => url === null)).toBe(true)
  expect(await purgeReturnUrls(after(25))).toBe(0)
})
