import { afterAll, beforeAll } from '@jest/globals'
import { paymentProxy } from '@payments/contracts/payment-proxy'
import { badInputSuite } from '@payments/testing/bad-input'
import { contractSuite } from '@payments/testing/contract-suite'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

contractSuite(paymentProxy, () => world)
badInputSuite(paymentProxy, () => world)
