import { afterAll, beforeAll } from '@jest/globals'
import { apiKey } from '@payments/contracts/api-key'
import { badInputSuite } from '@payments/testing/bad-input'
import { contractSuite } from '@payments/testing/contract-suite'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

contractSuite(apiKey, () => world)
badInputSuite(apiKey, () => world)
