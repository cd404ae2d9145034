import { afterAll, beforeAll } from '@jest/globals'
import { webhooks } from '@payments/contracts/webhooks'
import { badInputSuite } from '@payments/testing/bad-input'
import { unitOf } from '@payments/testing/business-units'
import { contractSuite } from '@payments/testing/contract-suite'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  // Every unit exists, so that valid requests reach the verbs.
  world = await startWorld({ findUnit: async (tenantId, businessUnitId) => unitOf({ tenantId, businessUnitId }) })
})
afterAll(() => world.stop())

contractSuite(webhooks, () => world)
badInputSuite(webhooks, () => world)
