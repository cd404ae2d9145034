import { afterAll, beforeAll } from '@jest/globals'
import { apiKey } from '@payments/contracts/services/api-key/contract'
import { badInputSuite } from '@payments/testing/suites/bad-input'
import { contractSuite } from '@payments/testing/suites/contract-suite'
import { operatorSuite } from '@payments/testing/suites/operator'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

contractSuite(apiKey, () => world)
badInputSuite(apiKey, () => world)
operatorSuite(apiKey, () => world)
