import { afterAll, beforeAll } from '@jest/globals'
import { rbac } from '@payments/contracts/services/rbac/contract'
import { badInputSuite } from '@payments/testing/suites/bad-input'
import { contractSuite } from '@payments/testing/suites/contract-suite'
import { operatorSuite } from '@payments/testing/suites/operator'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

contractSuite(rbac, () => world)
badInputSuite(rbac, () => world)
operatorSuite(rbac, () => world)
