import { afterAll, beforeAll } from '@jest/globals'
import { businessUnitContract } from '@payments/contracts/services/business-unit/contract'
import { badInputSuite } from '@payments/testing/suites/bad-input'
import { contractSuite } from '@payments/testing/suites/contract-suite'
import { operatorSuite } from '@payments/testing/suites/operator'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

contractSuite(businessUnitContract, () => world)
badInputSuite(businessUnitContract, () => world)
operatorSuite(businessUnitContract, () => world)
