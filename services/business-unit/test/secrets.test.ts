import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll } from '@jest/globals'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { secretsSuite } from '@payments/testing/suites/secrets'
import { encryptedColumns } from '../src/domain/gateway-authentication.ts'
import { created, httpProvider, startWorld, type World } from './world.ts'

const newSecret = () => randomBytes(24).toString('base64url')

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

secretsSuite(
  businessUnitContract,
  encryptedColumns,
  () => world,
  async () => {
    const of = await world.unit()
    const { id } = await created(of, httpProvider({ gateway_authentication: { key_id: 'key-1', secret: newSecret() } }))
    const path = `/internal/tenants/${of.tenantId}/payment-orchestrators/${id}/gateway-authentication`
    return async (app) => (await world.asService('payment-proxy', app).get(path)).body
  },
)
