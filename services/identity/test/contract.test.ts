import { afterAll, beforeAll } from '@jest/globals'
import { identityContract } from '@payments/contracts/services/identity/contract'
import { badInputSuite } from '@payments/testing/suites/bad-input'
import { contractSuite } from '@payments/testing/suites/contract-suite'
import { operatorSuite } from '@payments/testing/suites/operator'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

contractSuite(identityContract, () => world)
badInputSuite(identityContract, () => world)
operatorSuite(identityContract, () => world)
