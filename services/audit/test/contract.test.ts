import { afterAll, beforeAll } from '@jest/globals'
import { audit } from '@payments/contracts/audit'
import { badInputSuite } from '@payments/testing/bad-input'
import { contractSuite } from '@payments/testing/contract-suite'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

contractSuite(audit, () => world)
badInputSuite(audit, () => world)
