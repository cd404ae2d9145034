import { afterAll, beforeAll } from '@jest/globals'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import { secretsSuite } from '@payments/testing/suites/secrets'
import { encryptedColumns } from '../src/api/routes.ts'
import { startWorld, subscribe, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

secretsSuite(
  webhooks,
  encryptedColumns,
  () => world,
  async () => {
    const { tenantId, tenant, path } = await subscribe(world, 'https://example.com/a')
    await tenant.post(`${path}/rotate-secret`, { grace_period_seconds: 3_600 })
    const config = { username: 'payments', password: 'p-secret' }
    const { body: authInfo } = await tenant.post('/v1/webhooks/auth-info', { name: 'a', type: 'basic', config })
    const reveals = [`${path}/reveal`, `/v1/webhooks/auth-info/${authInfo.id}/reveal`]
    return async (app) => {
      const caller = world.asTenant(tenantId, undefined, undefined, app)
      return Promise.all(reveals.map(async (reveal) => (await caller.get(reveal)).body))
    }
  },
)
