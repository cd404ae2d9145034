import { afterAll, beforeAll } from '@jest/globals'
import { webhooks } from '@payments/contracts/services/webhooks/contract'
import { buildUnit } from '@payments/testing/peers/business-units'
import { badInputSuite } from '@payments/testing/suites/bad-input'
import { contractSuite } from '@payments/testing/suites/contract-suite'
import { operatorSuite } from '@payments/testing/suites/operator'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  // Every unit exists, so that valid requests reach the verbs.
  world = await startWorld({ findUnit: async (tenantId, businessUnitId) => buildUnit({ tenantId, businessUnitId }) })
})
afterAll(() => world.stop())

contractSuite(webhooks, () => world)
badInputSuite(webhooks, () => world)
operatorSuite(webhooks, () => world)
