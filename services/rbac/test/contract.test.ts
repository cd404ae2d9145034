import { afterAll, beforeAll } from '@jest/globals'
import { rbac } from '@payments/contracts/rbac'
import { badInputSuite } from '@payments/testing/bad-input'
import { contractSuite } from '@payments/testing/contract-suite'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

contractSuite(rbac, () => world)
badInputSuite(rbac, () => world)
